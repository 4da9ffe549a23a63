# SPDX-License-Identifier: MIT
"""Tables of real files, and their columns, by version of the schema.

A column is an INTEGER unless given otherwise; KEY is the primary key.
"""

SCHEMAS = {
    "nsys 3.1.2": {
        "CUPTI_ACTIVITY_KIND_KERNEL": (
            "start end deviceId contextId streamId correlationId "
            "globalPid demangledName shortName mangledName launchType "
            "cacheConfig registersPerThread gridX gridY gridZ blockX "
            "blockY blockZ staticSharedMemory dynamicSharedMemory "
            "localMemoryPerThread localMemoryTotal gridId "
            "sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig"
        ),
        "CUPTI_ACTIVITY_KIND_MEMCPY": (
            "start end deviceId contextId streamId correlationId "
            "globalPid bytes copyKind deprecatedSrcId srcKind dstKind "
            "srcDeviceId srcContextId dstDeviceId dstContextId "
            "migrationCause graphNodeId virtualAddress"
        ),
        "CUPTI_ACTIVITY_KIND_RUNTIME": (
            "start end eventClass globalTid correlationId nameId "
            "returnValue callchainId"
        ),
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": (
            "start end deviceId contextId streamId correlationId "
            "globalPid syncType eventId"
        ),
        "EXPORT_META_DATA": (
            "name:TEXT value:TEXT"
        ),
        "NVTX_EVENTS": (
            "start end eventType rangeId category color text:TEXT "
            "globalTid endGlobalTid textId domainId uint64Value "
            "int64Value doubleValue:REAL uint32Value int32Value "
            "floatValue:REAL jsonTextId jsonText:TEXT"
        ),
        "PROCESSES": (
            "globalPid pid name:TEXT"
        ),
        "PROFILER_OVERHEAD": (
            "start end globalTid nameId returnValue"
        ),
        "SCHED_EVENTS": (
            "start cpu isSchedIn globalTid"
        ),
        "StringIds": (
            "id:KEY value:TEXT"
        ),
        "TARGET_INFO_GPU": (
            "vmId id name:TEXT busLocation:TEXT isDiscrete l2CacheSize "
            "totalMemory memoryBandwidth clockRate smCount pwGpuId "
            "uuid:TEXT luid chipName:TEXT cuDevice ctxswDevPath:TEXT "
            "ctrlDevPath:TEXT revision nodeMask constantMemory maxIPC "
            "maxRegistersPerBlock maxShmemPerBlock maxShmemPerBlockOptin "
            "maxShmemPerSm maxRegistersPerSm threadsPerWarp asyncEngines "
            "maxWarpsPerSm maxBlocksPerSm maxThreadsPerBlock maxBlockDimX "
            "maxBlockDimY maxBlockDimZ maxGridDimX maxGridDimY "
            "maxGridDimZ computeMajor computeMinor smMajor smMinor"
        ),
        "TARGET_INFO_SESSION_START_TIME": (
            "utcEpochNs utcTime:TEXT localTime:TEXT"
        ),
        "TARGET_INFO_SYSTEM_ENV": (
            "globalVid devStateName:TEXT name:TEXT nameEnum value:TEXT"
        ),
        "ThreadNames": (
            "nameId priority globalTid"
        ),
    },
    "nsys 3.17.1": {
        "CUPTI_ACTIVITY_KIND_KERNEL": (
            "start end deviceId contextId greenContextId streamId "
            "correlationId globalPid demangledName shortName mangledName "
            "launchType cacheConfig registersPerThread gridX gridY gridZ "
            "blockX blockY blockZ staticSharedMemory dynamicSharedMemory "
            "localMemoryPerThread localMemoryTotal gridId "
            "sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig"
        ),
        "CUPTI_ACTIVITY_KIND_MEMCPY": (
            "start end deviceId contextId greenContextId streamId "
            "correlationId globalPid bytes copyKind deprecatedSrcId "
            "srcKind dstKind srcDeviceId srcContextId dstDeviceId "
            "dstContextId migrationCause graphNodeId virtualAddress"
        ),
        "CUPTI_ACTIVITY_KIND_MEMSET": (
            "start end deviceId contextId greenContextId streamId "
            "correlationId globalPid value bytes graphNodeId memKind"
        ),
        "CUPTI_ACTIVITY_KIND_RUNTIME": (
            "start end eventClass globalTid correlationId nameId "
            "returnValue callchainId"
        ),
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": (
            "start end deviceId contextId greenContextId streamId "
            "correlationId globalPid deprecatedSyncType syncType eventId "
            "eventSyncId"
        ),
        "META_DATA_EXPORT": (
            "name:TEXT value:TEXT"
        ),
        "NVTX_EVENTS": (
            "start end eventType rangeId category color text:TEXT "
            "globalTid endGlobalTid textId domainId uint64Value "
            "int64Value doubleValue:REAL uint32Value int32Value "
            "floatValue:REAL jsonTextId jsonText:TEXT binaryData:TEXT"
        ),
        "PROCESSES": (
            "globalPid pid name:TEXT"
        ),
        "PROFILER_OVERHEAD": (
            "start end globalTid nameId returnValue"
        ),
        "SCHED_EVENTS": (
            "start cpu isSchedIn globalTid threadState threadBlock"
        ),
        "StringIds": (
            "id:KEY value:TEXT"
        ),
        "TARGET_INFO_CUDA_DEVICE": (
            "gpuId cudaId pid"
        ),
        "TARGET_INFO_GPU": (
            "vmId id name:TEXT busLocation:TEXT isDiscrete l2CacheSize "
            "totalMemory memoryBandwidth clockRate smCount pwGpuId "
            "uuid:TEXT luid chipName:TEXT cuDevice ctxswDevPath:TEXT "
            "ctrlDevPath:TEXT revision nodeMask constantMemory maxIPC "
            "maxRegistersPerBlock maxShmemPerBlock maxShmemPerBlockOptin "
            "maxShmemPerSm maxRegistersPerSm threadsPerWarp asyncEngines "
            "maxWarpsPerSm maxBlocksPerSm maxThreadsPerBlock maxBlockDimX "
            "maxBlockDimY maxBlockDimZ maxGridDimX maxGridDimY "
            "maxGridDimZ computeMajor computeMinor smMajor smMinor"
        ),
        "TARGET_INFO_SESSION_START_TIME": (
            "utcEpochNs utcTime:TEXT localTime:TEXT"
        ),
        "TARGET_INFO_SYSTEM_ENV": (
            "globalVid devStateName:TEXT name:TEXT nameEnum value:TEXT"
        ),
        "ThreadNames": (
            "nameId priority globalTid"
        ),
    },
    "nsys 3.25.0": {
        "CUPTI_ACTIVITY_KIND_KERNEL": (
            "start end deviceId contextId greenContextId streamId "
            "correlationId globalPid demangledName shortName mangledName "
            "launchType cacheConfig registersPerThread gridX gridY gridZ "
            "blockX blockY blockZ staticSharedMemory dynamicSharedMemory "
            "localMemoryPerThread localMemoryTotal gridId "
            "sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig "
            "qmdBulkReleaseDone qmdPreexitDone qmdLastCtaDone graphId "
            "clusterX clusterY clusterZ clusterSchedulingPolicy "
            "maxPotentialClusterSize maxActiveClusters "
            "sharedMemoryRequestedPercentage "
            "tensorSizeMinusOneElements:TEXT"
        ),
        "CUPTI_ACTIVITY_KIND_MEMCPY": (
            "start end deviceId contextId greenContextId streamId "
            "correlationId globalPid bytes copyKind deprecatedSrcId "
            "srcKind dstKind srcDeviceId srcContextId dstDeviceId "
            "dstContextId migrationCause graphNodeId virtualAddress "
            "copyCount"
        ),
        "CUPTI_ACTIVITY_KIND_MEMSET": (
            "start end deviceId contextId greenContextId streamId "
            "correlationId globalPid value bytes graphNodeId memKind"
        ),
        "CUPTI_ACTIVITY_KIND_OVERHEAD": (
            "start end eventClass globalTid correlationId nameId "
            "overheadType"
        ),
        "CUPTI_ACTIVITY_KIND_RUNTIME": (
            "start end eventClass globalTid correlationId nameId "
            "returnValue callchainId"
        ),
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": (
            "start end deviceId contextId greenContextId streamId "
            "correlationId globalPid deprecatedSyncType syncType eventId "
            "eventSyncId"
        ),
        "META_DATA_EXPORT": (
            "name:TEXT value:TEXT"
        ),
        "NVTX_EVENTS": (
            "start end eventType rangeId category color text:TEXT "
            "globalTid endGlobalTid textId domainId uint64Value "
            "int64Value doubleValue:REAL uint32Value int32Value "
            "floatValue:REAL jsonTextId jsonText:TEXT binaryData:TEXT"
        ),
        "PROCESSES": (
            "globalPid pid name:TEXT"
        ),
        "PROFILER_OVERHEAD": (
            "start end globalTid nameId overheadType"
        ),
        "StringIds": (
            "id:KEY value:TEXT"
        ),
        "TARGET_INFO_SESSION_START_TIME": (
            "utcEpochNs utcTime:TEXT localTime:TEXT systemClockNs"
        ),
        "TARGET_INFO_SYSTEM_ENV": (
            "globalVid devStateName:TEXT name:TEXT nameEnum value:TEXT"
        ),
        "ThreadNames": (
            "nameId priority globalTid"
        ),
    },
    "nvprof 11": {
        "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL": (
            "_id_:KEY cacheConfig:BLOB sharedMemoryConfig "
            "registersPerThread partitionedGlobalCacheRequested "
            "partitionedGlobalCacheExecuted start end completed deviceId "
            "contextId streamId gridX gridY gridZ blockX blockY blockZ "
            "staticSharedMemory dynamicSharedMemory localMemoryPerThread "
            "localMemoryTotal correlationId gridId name queued submitted "
            "launchType isSharedMemoryCarveoutRequested "
            "sharedMemoryCarveoutRequested"
        ),
        "CUPTI_ACTIVITY_KIND_DEVICE": (
            "_id_:KEY flags globalMemoryBandwidth globalMemorySize "
            "constantMemorySize l2CacheSize numThreadsPerWarp "
            "coreClockRate numMemcpyEngines numMultiprocessors maxIPC "
            "maxWarpsPerMultiprocessor maxBlocksPerMultiprocessor "
            "maxSharedMemoryPerMultiprocessor "
            "maxRegistersPerMultiprocessor maxRegistersPerBlock "
            "maxSharedMemoryPerBlock maxThreadsPerBlock maxBlockDimX "
            "maxBlockDimY maxBlockDimZ maxGridDimX maxGridDimY "
            "maxGridDimZ computeCapabilityMajor computeCapabilityMinor id "
            "eccEnabled uuid:BLOB name"
        ),
        "CUPTI_ACTIVITY_KIND_DRIVER": (
            "_id_:KEY cbid start end processId threadId correlationId "
            "returnValue"
        ),
        "CUPTI_ACTIVITY_KIND_ENVIRONMENT": (
            "_id_:KEY deviceId timestamp environmentKind data:BLOB"
        ),
        "CUPTI_ACTIVITY_KIND_KERNEL": (
            "_id_:KEY cacheConfig:BLOB sharedMemoryConfig "
            "registersPerThread partitionedGlobalCacheRequested "
            "partitionedGlobalCacheExecuted start end completed deviceId "
            "contextId streamId gridX gridY gridZ blockX blockY blockZ "
            "staticSharedMemory dynamicSharedMemory localMemoryPerThread "
            "localMemoryTotal correlationId gridId name queued submitted "
            "launchType isSharedMemoryCarveoutRequested "
            "sharedMemoryCarveoutRequested"
        ),
        "CUPTI_ACTIVITY_KIND_MARKER": (
            "_id_:KEY flags timestamp id objectKind objectId:BLOB name "
            "domain"
        ),
        "CUPTI_ACTIVITY_KIND_MARKER_DATA": (
            "_id_:KEY flags id payloadKind payload:BLOB color category"
        ),
        "CUPTI_ACTIVITY_KIND_MEMCPY": (
            "_id_:KEY copyKind srcKind dstKind flags bytes start end "
            "deviceId contextId streamId correlationId "
            "runtimeCorrelationId"
        ),
        "CUPTI_ACTIVITY_KIND_MEMCPY2": (
            "_id_:KEY copyKind srcKind dstKind flags bytes start end "
            "deviceId contextId streamId srcDeviceId srcContextId "
            "dstDeviceId dstContextId correlationId"
        ),
        "CUPTI_ACTIVITY_KIND_MEMSET": (
            "_id_:KEY value bytes start end deviceId contextId streamId "
            "correlationId flags memoryKind"
        ),
        "CUPTI_ACTIVITY_KIND_NAME": (
            "_id_:KEY objectKind objectId:BLOB name"
        ),
        "CUPTI_ACTIVITY_KIND_OVERHEAD": (
            "_id_:KEY overheadKind objectKind objectId:BLOB start end"
        ),
        "CUPTI_ACTIVITY_KIND_RUNTIME": (
            "_id_:KEY cbid start end processId threadId correlationId "
            "returnValue"
        ),
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": (
            "_id_:KEY type start end correlationId contextId streamId "
            "cudaEventId"
        ),
        "StringTable": (
            "_id_:KEY value:TEXT"
        ),
        "Version": (
            "version"
        ),
    },
}


def create(connection, version, tables=None):
    """Creates the version's tables, or only those in `tables`."""
    for table, columns in SCHEMAS[version].items():
        if tables is not None and table not in tables:
            continue
        made = []
        for column in columns.split():
            name, *kinds = column.split(":")
            kind = [k for k in kinds if k != "KEY"] or ["INTEGER"]
            made.append('"%s" %s%s' % (
                name, kind[0], " PRIMARY KEY" if "KEY" in kinds else ""))
        connection.execute('CREATE TABLE "%s" (%s)' % (
            table, ", ".join(made)))


def add(connection, table, **values):
    """Adds a row with the columns that the table has."""
    have = {row[1] for row in connection.execute(
        'PRAGMA table_info("%s")' % table)}
    values = {k: v for k, v in values.items() if k in have}
    if have:
        connection.execute('INSERT INTO "%s" (%s) VALUES (%s)' % (
            table, ", ".join('"%s"' % k for k in values),
            ", ".join("?" * len(values))), list(values.values()))

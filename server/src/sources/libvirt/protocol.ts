/** Numbers of libvirt's remote protocol, from remote_protocol.x and the public headers. */
export const programs = { remote: 0x2000_8086, keepalive: 0x6b65_6570 } as const

export const messageTypes = { call: 0, reply: 1, event: 2 } as const

export const procedures = {
  connectOpen: 1,
  connectClose: 2,
  connectGetVersion: 4,
  nodeGetInfo: 6,
  connectGetCapabilities: 7,
  domainGetXmlDesc: 14,
  domainLookupByUuid: 24,
  networkGetXmlDesc: 43,
  connectGetHostname: 59,
  authList: 66,
  authPolkit: 70,
  storagePoolGetXmlDesc: 88,
  storageVolGetXmlDesc: 99,
  nodeDeviceGetXmlDesc: 114,
  domainIsPersistent: 151,
  connectGetLibVersion: 157,
  nwfilterGetXmlDesc: 177,
  domainGetBlockInfo: 194,
  connectGetSysinfo: 203,
  domainGetState: 212,
  domainGetControlInfo: 229,
  connectListAllDomains: 273,
  connectListAllStoragePools: 281,
  storagePoolListAllVolumes: 282,
  connectListAllNetworks: 283,
  connectListAllNwfilters: 286,
  domainEventRegister: 316,
  networkGetDhcpLeases: 341,
  connectGetAllDomainStats: 344,
} as const

/** They change something. Connections that read never use them. */
export const changingProcedures = {
  domainCreate: 9,
  domainDestroy: 12,
  domainResume: 28,
  domainShutdown: 33,
  domainSuspend: 34,
  storageVolDelete: 94,
  domainSetVcpusFlags: 199,
  domainSetMemoryFlags: 204,
  domainUndefineFlags: 231,
  domainReset: 245,
  domainPmWakeup: 267,
  domainRename: 358,
} as const
export type ChangingProcedure = (typeof changingProcedures)[keyof typeof changingProcedures]
export type Procedure = (typeof procedures)[keyof typeof procedures] | ChangingProcedure

const namesOfProcedures = new Map(
  Object.entries({ ...procedures, ...changingProcedures }).map(([name, number]) => [number, name]),
)
/** Such as `domainGetXmlDesc`. */
export const nameOfProcedure = (procedure: Procedure): string =>
  namesOfProcedures.get(procedure) ?? ''

export const keepaliveProcedures = { ping: 1, pong: 2 } as const

/**
 * Events that can change the fields of a server: the event id to subscribe with and the procedure
 * of its messages. Each message starts with the callback id and the domain.
 */
export const domainEvents = {
  lifecycle: { id: 0, procedure: 318 },
  diskChange: { id: 9, procedure: 327 },
  trayChange: { id: 10, procedure: 328 },
  deviceRemoved: { id: 15, procedure: 333 },
  tunable: { id: 17, procedure: 346 },
  deviceAdded: { id: 19, procedure: 354 },
  metadataChange: { id: 23, procedure: 379 },
} as const

export const authTypes = { none: 0, sasl: 1, polkit: 2 } as const

export const errorCodes = {
  noMemory: 2,
  noSupport: 3,
  invalidArgument: 8,
  domainExists: 28,
  operationDenied: 29,
  rpc: 39,
  noDomain: 42,
  noNetwork: 43,
  authFailed: 45,
  noStoragePool: 49,
  noStorageVolume: 50,
  operationInvalid: 55,
  noNwfilter: 62,
  configUnsupported: 67,
  operationTimeout: 68,
  argumentUnsupported: 74,
  authCancelled: 79,
  blockCopyActive: 83,
  operationUnsupported: 84,
  resourceBusy: 87,
  accessDenied: 88,
  authUnavailable: 94,
} as const
/** The parts of libvirt that errors come from, and that Muster distinguishes. */
export const errorOrigins = { rpc: 7 } as const

/** Flags and limits of the calls. */
export const readOnly = 1
export const transientOnly = 8
export const activeNetworksOnly = 2
export const activePoolsOnly = 2
export const xmlFlags = { secure: 1, inactive: 2 } as const
/** A change of the configuration for the next start; of the maximum instead of the current value. */
export const resizeFlags = { config: 2, maximum: 4 } as const
export const undefineFlags = {
  managedSave: 1,
  snapshotsMetadata: 2,
  nvram: 4,
  keepNvram: 8,
  checkpointsMetadata: 16,
  tpm: 32,
  keepTpm: 64,
} as const
/** States of a domain for other calls, and the detail of an error that means a call of the daemon itself. */
export const control = { job: 1, occupied: 2, error: 3, internalError: 3 } as const
export const stats = { state: 1, block: 32 } as const
/** Without it one hanging guest would block the call for all. */
export const statsWithoutWaiting = 1 << 29
export const longestList = 16_384
/** In bytes; more than any name that libvirt accepts. */
export const longestName = 4_096

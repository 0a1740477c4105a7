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
  nodeDeviceGetXmlDesc: 114,
  domainIsPersistent: 151,
  connectGetLibVersion: 157,
  nwfilterGetXmlDesc: 177,
  domainGetBlockInfo: 194,
  connectGetSysinfo: 203,
  connectListAllDomains: 273,
  connectListAllStoragePools: 281,
  connectListAllNetworks: 283,
  connectListAllNwfilters: 286,
  domainEventRegister: 316,
  networkGetDhcpLeases: 341,
  connectGetAllDomainStats: 344,
} as const
export type Procedure = (typeof procedures)[keyof typeof procedures]

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
  operationDenied: 29,
  noDomain: 42,
  authFailed: 45,
  authCancelled: 79,
  authUnavailable: 80,
  accessDenied: 88,
} as const

/** Flags and limits of the calls. */
export const readOnly = 1
export const transientOnly = 8
export const activeNetworksOnly = 2
export const stats = { state: 1, block: 32 } as const
/** Without it one hanging guest would block the call for all. */
export const statsWithoutWaiting = 1 << 29
export const longestList = 16_384
/** In bytes; more than any name that libvirt accepts. */
export const longestName = 4_096

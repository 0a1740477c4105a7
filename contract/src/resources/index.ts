/** The descriptions of resources, which browsers load, too. */
export * from './cloudproviders.ts'
export * from './cloudregions.ts'
export * from './hosts.ts'
export * from './networks.ts'
export * from './resource.ts'
export * from './servers.ts'
export * from './zones.ts'

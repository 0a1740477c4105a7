/** The descriptions of resources, which browsers load, too. */
export * from '../administration/administered.ts'
export * from './inventory.ts'
export * from './names.ts'
export * from './resource.ts'
export * from './servers.ts'

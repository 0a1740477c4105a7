import type { cloudproviders, cloudregions, hosts, networks, zones } from '@muster/contract'

/** The resources that servers name. Their descriptions are loaded with their pages. */
export interface Resources {
  hosts: typeof hosts
  networks: typeof networks
  cloudregions: typeof cloudregions
  zones: typeof zones
  cloudproviders: typeof cloudproviders
}

export type InfrastructureKind = keyof Resources

/** Any field of any of them. */
export type InfrastructureField = {
  [Kind in InfrastructureKind]: keyof Resources[Kind]['fields']
}[InfrastructureKind]

/** In the order of the tabs. */
export const infrastructureKinds: readonly InfrastructureKind[] = [
  'hosts',
  'networks',
  'cloudregions',
  'zones',
  'cloudproviders',
]

export const isInfrastructureKind = (word: string | undefined): word is InfrastructureKind =>
  infrastructureKinds.some((kind) => kind === word)

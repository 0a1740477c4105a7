import { renderTerm } from '../../filter/terms.ts'
import type { RegionName } from './open-regions.ts'

export const providerQ = (provider: string): string => renderTerm('provider', [provider])

export const regionQ = ({ provider, region }: RegionName): string =>
  `${providerQ(provider)} ${renderTerm('region', [region])}`

export const zoneQ = (name: RegionName, zone: string): string =>
  `${regionQ(name)} ${renderTerm('zone', [zone])}`

/** A filter for zones by part of their name. */
export const zonesNamed = (text: string): string =>
  `zone.contains('${text.replaceAll(/[\\']/g, String.raw`\$&`)}')`

/** Case-insensitive, like the API. */
export const holds = (name: string, text: string): boolean =>
  name.toLowerCase().includes(text.toLowerCase())

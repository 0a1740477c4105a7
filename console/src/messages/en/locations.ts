import { plural } from './plural.ts'

export const locations = {
  title: 'Locations',
  lead: 'Servers by provider, region and zone.',
  caption: 'Servers, vCPUs and memory by provider, region and zone',
  find: 'Search locations',
  location: 'Location',
  servers: 'Servers',
  share: 'Share',
  vcpus: 'vCPUs',
  memory: 'Memory',
  provider: 'provider',
  region: 'region',
  zone: 'zone',
  none: 'None',
  others: 'All others',
  open: (region: string) => `Zones of ${region}`,
  show: (place: string, count: number, shown: string) =>
    count === 1 ? `Show 1 server in ${place}` : `Show ${shown} servers in ${place}`,
  count: (providers: string, regions: string) =>
    `${plural(providers, 'provider', 'providers')} · ${plural(regions, 'region', 'regions')}`,
  found: (count: number, shown: string) =>
    count === 1 ? '1 location found' : `${shown} locations found`,
  nothing: 'No matching locations',
  nothingText: 'Enter part of the name of a provider, region or zone.',
  clear: 'Show all locations',
  empty: 'No locations yet',
  emptyText: 'Locations come from servers. Attach an account to see where its servers run.',
  attach: 'Attach account',
  notAllowed: 'You do not have access to servers here',
}

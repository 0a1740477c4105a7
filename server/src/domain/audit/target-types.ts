import { administrationNames } from '@muster/contract'

/** The type of an event's target, by the resource that an operation acts on. */
export const targetTypes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.values(administrationNames).map(({ keys, key }) => [keys, key])),
  servers: 'server',
  views: 'view',
  cloudaccounts: 'cloudaccount',
}

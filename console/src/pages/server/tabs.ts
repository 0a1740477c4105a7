export const tabNames = [
  'overview',
  'network',
  'disks',
  'security',
  'devices',
  'tags',
  'history',
  'tasks',
  'json',
] as const

export type TabName = (typeof tabNames)[number]

/** The tab in the address, or the first one. */
export const readTab = (text: string | undefined): TabName =>
  tabNames.find((name) => name === text) ?? 'overview'

export const tabNames = [
  'overview',
  'network',
  'disks',
  'security',
  'devices',
  'tags',
  'history',
  'json',
] as const

export type TabName = (typeof tabNames)[number]

/** The part that an address names; the first where it names none there is. */
export const readTab = (text: string | undefined): TabName =>
  tabNames.find((name) => name === text) ?? 'overview'

import type { ListItem } from './stable-pages.ts'

/** A host, network, region, zone or manager, with some of its fields. */
export type ResourceRow = ListItem &
  Readonly<Record<string, string | number | boolean | null | undefined>>

export const textOf = (row: ResourceRow, field: string): string => String(row[field] ?? '')

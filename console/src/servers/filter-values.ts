import type { Row } from './stable-pages.ts'

/** What of a server one would filter by, as a query has it. */
export function filterValues(row: Row): { name: string; value: string }[] {
  const { status = '', project = '', provider = '', region = '', account = '', os_type = '' } = row
  const values = { status, project, provider, region, account, os: os_type }
  return Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ({ name, value }))
}

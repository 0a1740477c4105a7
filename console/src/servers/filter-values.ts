import type { Row } from './stable-pages.ts'

/** What of a server one would filter by, as a query has it. */
export function filterValues(row: Row): { name: string; value: string }[] {
  const {
    status = '',
    project = '',
    provider = '',
    region = '',
    account = '',
    os_type = '',
    os_name = '',
  } = row
  const values = { status, project, provider, region, account, os: os_type, os_name }
  return Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ({ name, value }))
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Role assignments have no id: each has a link of its own, and with `effective` one for each user. */
function keyOf(entry: unknown): string {
  const { links, user } = isObject(entry) ? entry : {}
  if (!isObject(links) || typeof links['assignment'] !== 'string') return ''
  return `${links['assignment']} ${JSON.stringify(user)}`
}

/** Versions list role assignments in different orders. All other lists keep theirs. */
const inFixedOrder = (entries: readonly unknown[]) =>
  entries.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)))

/** Migration 0016 takes the permission to delete servers from `project_editor`. */
const isRestrictedEditor = (older: readonly unknown[], newer: readonly unknown[], path: string) =>
  /\.policies\[\d+\]\.rules$/.test(path) &&
  older.length === 3 &&
  JSON.stringify(older[0]) ===
    '{"service":"compute","resource":"*","action":"*","effect":"allow"}' &&
  newer.length === 8

/** Earlier catalogs had no service `log`. */
const isLog = (entry: unknown) => isObject(entry) && entry['type'] === 'log'
const withoutNewLog = (newer: readonly unknown[], older: readonly unknown[], path: string) =>
  path.endsWith('.catalog') && !older.some(isLog) ? newer.filter((entry) => !isLog(entry)) : newer

/** Migration 0030 makes changes of what sources reported. They have other ids, and are not in the audit log. */
export const isReport = (entry: unknown): boolean =>
  isObject(entry) &&
  entry['target_type'] === 'server' &&
  entry['user_id'] === '' &&
  entry['request_id'] === ''
const withoutReports = (older: readonly unknown[], path: string) =>
  /\/events\?[^/]*\.events$/.test(path) ? older.filter((entry) => !isReport(entry)) : older

/**
 * The differences between the responses of two versions, one per line. New keys do not count, because
 * responses may grow.
 */
export function differencesBetween(older: unknown, newer: unknown, path = ''): string[] {
  if (isObject(older) && isObject(newer)) {
    return Object.keys(older).flatMap((key) =>
      // Earlier versions could not delete servers, and said so.
      key === 'delete_fail_reason' || (key === 'id' && isReport(older))
        ? []
        : key in newer
          ? differencesBetween(older[key], newer[key], `${path}.${key}`)
          : [`${path}.${key} is missing`],
    )
  }
  if (Array.isArray(older) && Array.isArray(newer)) {
    if (isRestrictedEditor(older, newer, path)) return []
    const now = withoutNewLog(newer, older, path)
    const former = withoutReports(older, path)
    if (former.length !== now.length) {
      return [`${path} has ${now.length} entries, not ${former.length}`]
    }
    const [before, after] = [former, now].map((entries) => inFixedOrder(entries))
    return (before ?? []).flatMap((entry, index) =>
      differencesBetween(entry, after?.[index], `${path}[${index}]`),
    )
  }
  return Object.is(older, newer)
    ? []
    : [`${path} is ${JSON.stringify(newer)}, not ${JSON.stringify(older)}`]
}

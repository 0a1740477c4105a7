import type { Check } from '@muster/contract'
import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Violation } from '../../api/queries/checks.ts'
import { operatingSystemQuery } from '../../api/queries/server.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { isEndOfLife } from '../../servers/check-text.ts'
import { ownerOf } from '../../servers/tags.ts'
import type { Column } from '../../ui/table.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'

/** The ends of support of the systems that servers run, by the names that sources give. */
function useEndsOfSupport(names: readonly string[]): ReadonlyMap<string, string> {
  const found = useQueries({ queries: names.map((name) => operatingSystemQuery(name)) })
  return new Map(
    names.flatMap((name, at) => {
      const until = found[at]?.data?.supported_until
      return until === undefined ? [] : [[name, until] as const]
    }),
  )
}

/** What a violation is about, whose it is, and since when it lasts. */
export function useViolationColumns(
  check: Check,
  violations: readonly Violation[],
  isOpen: boolean,
): readonly Column<Violation>[] {
  const { checks: t, servers, server: serverTexts } = useMessages()
  const { day } = useFormat()
  const hasSystems = isEndOfLife(check)
  const names = hasSystems ? violations.map(({ server }) => server?.os_name ?? '') : []
  const ends = useEndsOfSupport([...new Set(names)].filter((name) => name !== ''))
  const ofServer = (
    key: string,
    title: string,
    valueOf: (server: NonNullable<Violation['server']>) => string,
  ): Column<Violation> => ({
    key,
    title,
    cell: ({ server }) => <bdi>{(server && valueOf(server)) || '–'}</bdi>,
  })
  return [
    {
      key: 'name',
      title: t.column.server,
      cell: ({ subject_kind, subject_id, name }) =>
        subject_kind === 'server' ? (
          <Link to="/servers/$id" params={{ id: subject_id }}>
            {name}
          </Link>
        ) : (
          <Link to="/accounts/$id" params={{ id: subject_id }}>
            {name}
          </Link>
        ),
    },
    ...(hasSystems
      ? [
          ofServer('os', servers.columns.os, ({ os_name: name = '' }) => name),
          ofServer('end', t.column.endOfSupport, ({ os_name: name = '' }) => {
            const until = ends.get(name)
            return until === undefined ? '' : day(until)
          }),
        ]
      : []),
    ...(violations.some(({ server }) => server)
      ? [
          ofServer('project', servers.columns.project, ({ project = '' }) => project),
          ofServer('owner', serverTexts.owner, ({ metadata = {} }) => ownerOf(metadata)),
        ]
      : []),
    { key: 'since', title: t.column.since, cell: ({ since }) => <TimeAgo time={since} /> },
    ...(isOpen
      ? []
      : [
          {
            key: 'until',
            title: t.column.until,
            cell: ({ until }: Violation) => <TimeAgo time={until} />,
          },
        ]),
  ]
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { comparisonQuery } from '../../api/queries/moment.ts'
import { PastNotice } from '../../inventory/past-notice.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { describeComparison, type ComparedField } from '../../servers/describe-comparison.ts'
import { useChangeWords } from '../../servers/use-change-words.ts'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Table, type Column } from '../../ui/table.tsx'

interface Props {
  readonly ids: readonly string[]
  readonly asOf: string | undefined
}

/** Two to five servers side by side: first what differs, then what is the same. */
export function CompareServers({ ids, asOf }: Props) {
  const { past } = useMessages()
  const t = past.servers
  const words = useChangeWords()
  const query = useQuery(comparisonQuery(ids, asOf))
  return (
    <Page title={t.title}>
      <PastNotice />
      <QueryView query={query} skeleton={<SkeletonRows rows={12} />}>
        {({ servers, fields }) => {
          const described = describeComparison(fields, words)
          const columns: readonly Column<ComparedField>[] = [
            { key: 'field', title: t.field, cell: ({ label }) => label },
            ...servers.map(({ name }, at) => ({
              key: String(at),
              title: name,
              cell: ({ values }: ComparedField) => <bdi>{values[at] ?? '–'}</bdi>,
            })),
          ]
          return [true, false].map((differs) => {
            const title = differs ? t.different : t.same
            const rows = described.filter((field) => field.differs === differs)
            return (
              <Section
                key={title}
                title={title}
                actions={
                  differs &&
                  servers.map(({ id, name }) => (
                    <Link key={id} to="/servers/$id" params={{ id }}>
                      <bdi>{name}</bdi>
                    </Link>
                  ))
                }
              >
                {rows.length === 0 ? (
                  <p>{t.none}</p>
                ) : (
                  <Table caption={title} columns={columns} rows={rows} rowKey={({ key }) => key} />
                )}
              </Section>
            )
          })
        }}
      </QueryView>
    </Page>
  )
}

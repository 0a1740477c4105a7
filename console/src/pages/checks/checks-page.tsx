import type { Check } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { checksQuery } from '../../api/queries/checks.ts'
import { useFormat } from '../../messages/use-format.ts'
import { NotAllowed } from '../../session/not-allowed.tsx'
import { useMessages } from '../../messages/use-messages.ts'
import { checkText } from '../../servers/check-text.ts'
import { ScopeLabel } from '../../session/scope-label.tsx'
import { usePermission } from '../../session/use-permission.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Table, type Column } from '../../ui/table.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { Severity } from '../../servers/severity.tsx'

/** All checks, those with the most violations first. */
export function ChecksPage() {
  const { checks: t } = useMessages()
  const { allowed, reason } = usePermission('listChecks')
  if (allowed) return <Checks />
  return (
    <Page title={t.title}>
      <NotAllowed title={t.notAllowed} reason={reason} />
    </Page>
  )
}

function scopeOf({ project_id, domain_id }: Check): 'project' | 'domain' | 'system' {
  if (project_id !== '') return 'project'
  return domain_id === '' ? 'system' : 'domain'
}

function Checks() {
  const messages = useMessages()
  const { number } = useFormat()
  const query = useQuery(checksQuery)
  const t = messages.checks
  const columns: readonly Column<Check>[] = [
    {
      key: 'name',
      title: t.column.name,
      cell: (check) => (
        <Link to="/checks/$id" params={{ id: check.id }}>
          {checkText(messages, check).name}
        </Link>
      ),
    },
    {
      key: 'severity',
      title: t.column.severity,
      cell: ({ severity }) => <Severity severity={severity} />,
    },
    {
      key: 'violations',
      title: t.column.violations,
      number: true,
      cell: ({ violations }) => number(violations),
    },
    { key: 'scope', title: t.column.scope, cell: (check) => t.scopes[scopeOf(check)] },
    { key: 'enabled', title: t.column.enabled, cell: ({ enabled }) => (enabled ? t.on : t.off) },
    {
      key: 'evaluated',
      title: t.column.evaluated,
      cell: ({ evaluated_at }) => <TimeAgo time={evaluated_at} never={t.notEvaluated} />,
    },
  ]
  return (
    <Page title={t.title} lead={t.lead} aside={<ScopeLabel operation="listChecks" />}>
      <QueryView
        query={query}
        skeleton={<SkeletonRows rows={10} />}
        empty={<EmptyState title={t.none}>{t.noneText}</EmptyState>}
      >
        {(rows) => (
          <Table caption={t.title} columns={columns} rows={rows} rowKey={({ id }) => id} />
        )}
      </QueryView>
    </Page>
  )
}

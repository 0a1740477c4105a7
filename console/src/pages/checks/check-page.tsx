import type { Check } from '@muster/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { checkQuery, checksQuery } from '../../api/queries/checks.ts'
import { queryClient } from '../../api/query-client.ts'
import { ServersLink } from '../../charts/servers-link.tsx'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { checkText } from '../../servers/check-text.ts'
import { ScopeLabel } from '../../session/scope-label.tsx'
import { usePermission } from '../../session/use-permission.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import styles from './check-page.module.css'
import { Severity } from '../../servers/severity.tsx'
import { Violations } from './violations.tsx'

/** A check, and who violates it. */
export function CheckPage() {
  const messages = useMessages()
  const { id = '' } = useParams({ strict: false })
  const query = useQuery(checkQuery(id))
  const { data: check } = query
  return (
    <Page
      title={check ? checkText(messages, check).name : messages.checks.title}
      lead={check && checkText(messages, check).description}
      aside={<ScopeLabel operation="listCheckViolations" />}
    >
      <p>
        <Link to="/checks">{messages.checks.title}</Link>
      </p>
      <QueryView query={query} skeleton={<SkeletonRows rows={6} />}>
        {(found) => (
          <>
            <CheckHead check={found} />
            <Violations check={found} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

function CheckHead({ check }: { readonly check: Check }) {
  const messages = useMessages()
  const { checks: t } = messages
  const { span } = useFormat()
  const { reason } = usePermission('updateCheck')
  const toggle = useMutation({
    mutationFn: () =>
      api.updateCheck({
        parameters: { id: check.id },
        body: { check: { enabled: !check.enabled } },
      }),
    onSuccess({ check: changed }) {
      queryClient.setQueryData(checkQuery(check.id).queryKey, changed)
      void queryClient.invalidateQueries({ queryKey: checksQuery.queryKey })
      void queryClient.invalidateQueries({ queryKey: ['checks', 'violations', check.id] })
      const { name } = checkText(messages, changed)
      showToast((changed.enabled ? t.switchedOn : t.switchedOff)(name))
    },
  })
  return (
    <>
      <div className={styles.head}>
        <Severity severity={check.severity} />
        {check.q !== '' && (
          <ServersLink q={check.q}>
            {t.showServers} <code>{check.q}</code>
          </ServersLink>
        )}
        {check.grace > 0 && <span>{t.grace(span(check.grace, true))}</span>}
        <span>
          {t.column.evaluated}: <TimeAgo time={check.evaluated_at} never={t.notEvaluated} />
        </span>
        <Button
          small
          busy={toggle.isPending}
          disabledReason={reason}
          onClick={() => toggle.mutate()}
        >
          {check.enabled ? t.switchOff : t.switchOn}
        </Button>
      </div>
      {toggle.error && <ErrorNotice error={toggle.error} />}
      {check.error !== '' && (
        <p className={styles.failed}>
          <strong>{t.failed}</strong> {check.error}
        </p>
      )}
    </>
  )
}

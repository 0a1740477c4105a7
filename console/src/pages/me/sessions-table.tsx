import type { SessionEntry } from '@muster/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { sessionsQuery } from '../../api/queries/session.ts'
import { logOut } from '../../session/log-out.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Table, type Column } from '../../ui/table.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { describeUserAgent } from './describe-user-agent.ts'
import styles from './me.module.css'

export function SessionsTable({ sessions }: { readonly sessions: readonly SessionEntry[] }) {
  const t = useMessages()
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: ({ id, current }: SessionEntry) =>
      current ? logOut() : api.endOneSession({ parameters: { id } }),
    async onSuccess(_, { current }) {
      if (current) return
      await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })
      showToast(t.me.sessionEnded)
    },
  })
  const nameOf = ({ user_agent }: SessionEntry) => {
    const { browser, system } = describeUserAgent(user_agent)
    if (browser === '') return system === '' ? t.me.unknownBrowser : system
    return system === '' ? browser : t.me.onSystem(browser, system)
  }
  const columns: readonly Column<SessionEntry>[] = [
    {
      key: 'browser',
      title: t.me.browser,
      cell: (session) => (
        <span className={styles.browser} title={session.user_agent}>
          {nameOf(session)}
          {session.current && <span className={styles.here}>{t.me.thisOne}</span>}
        </span>
      ),
    },
    { key: 'ip', title: t.me.address, cell: ({ ip }) => <code>{ip}</code> },
    {
      key: 'scope',
      title: t.me.scope,
      cell: ({ scope }) => (scope === '' ? t.me.noScope : scope),
    },
    { key: 'started', title: t.me.started, cell: (entry) => <TimeAgo time={entry.created_at} /> },
    { key: 'seen', title: t.me.lastSeen, cell: (entry) => <TimeAgo time={entry.last_seen_at} /> },
    { key: 'ends', title: t.me.expires, cell: (entry) => <TimeAgo time={entry.expires_at} /> },
    {
      key: 'end',
      title: t.common.actions,
      number: true,
      cell: (session) => (
        <Button
          small
          look="quiet"
          {...(!session.current && { 'aria-label': t.me.endOf(nameOf(session)) })}
          busy={end.isPending && end.variables?.id === session.id}
          onClick={() => end.mutate(session)}
        >
          {session.current ? t.frame.logOut : t.me.end}
        </Button>
      ),
    },
  ]
  return (
    <>
      {end.isError && <ErrorNotice error={end.error} />}
      <Table caption={t.me.sessions} columns={columns} rows={sessions} rowKey={({ id }) => id} />
    </>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { loginOptionsQuery } from '../../api/queries/session.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { DemoUsers } from './demo-users.tsx'
import styles from './login-page.module.css'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { PasswordForm } from './password-form.tsx'
import { useClearCache } from './use-clear-cache.ts'
import { useLogIn } from './use-log-in.ts'

/** What the address may say of why one is here. */
const reasons = ['ended', 'out', 'cas'] as const

export function LoginPage() {
  const t = useMessages()
  const search = useSearch({ strict: false })
  const logIn = useLogIn()
  useClearCache()
  const query = useQuery(loginOptionsQuery)
  const { data: options } = query
  const why = reasons.find((reason) => reason === search['why'])
  const notes = { ended: t.session.ended, out: t.session.loggedOut, cas: t.session.casFailed }
  const next = search['next'] === undefined ? {} : { next: `/console${search['next']}` }
  return (
    <main className={styles.page}>
      <div className={styles.brand}>
        <img src={`${import.meta.env.BASE_URL}favicon.svg`} width="32" height="32" alt="" />
        <PageTitle>{t.common.appName}</PageTitle>
      </div>
      <p className={styles.lead}>{t.session.lead}</p>
      {why && !logIn.isError && (
        <p className={styles.note} role="status">
          {notes[why]}
        </p>
      )}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      <div className={styles.cards}>
        <PasswordForm
          logIn={logIn}
          providers={(options?.cas ?? []).map(({ id, name }) => ({
            name,
            href: `/api/session/cas/${encodeURIComponent(id)}?${new URLSearchParams(next).toString()}`,
          }))}
        />
        {options?.demo && <DemoUsers people={options.demo.people} logIn={logIn} />}
      </div>
      {options && (
        <p className={styles.version}>
          {options.platform} {options.version}
        </p>
      )}
    </main>
  )
}

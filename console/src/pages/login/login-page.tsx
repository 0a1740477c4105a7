import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch, useRouter } from '@tanstack/react-router'
import { loginOptionsQuery } from '../../api/queries/session.ts'
import { useMessages } from '../../messages/use-messages.ts'
import styles from './login-page.module.css'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { CodeForm } from './code-form.tsx'
import { PasswordForm } from './password-form.tsx'
import { useLogIn, type LogIn } from './use-log-in.ts'
import { useCallback, useEffect, useState } from 'react'
import { readStoredText, storeText } from '../../browser/local-storage.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import type { LoginOptions, PasswordLogin } from '@muster/contract'

/** The reasons that the address can give for showing this page. */
const reasons = ['ended', 'out', 'factor', 'provider', 'unreachable'] as const

/** The domain that was last typed, with which this browser begins again. */
const domainKey = 'muster.domain'
const settled = 250

export function LoginPage() {
  const t = useMessages()
  const search = useSearch({ strict: false })
  const [pending, setPending] = useState<PasswordLogin>()
  const [left, setLeft] = useState({ name: '', isLate: false })
  const logIn = useLogIn(setPending)
  const { reset } = logIn
  const leave = useCallback(
    (isLate: boolean) => {
      setLeft({ name: pending?.name ?? '', isLate })
      setPending(undefined)
      reset()
    },
    [pending, reset],
  )
  useClearCache()
  const [domain, setDomain] = useState(() => readStoredText(domainKey) ?? '')
  const query = useQuery(loginOptionsQuery(useDebounced(domain.trim(), settled)))
  const { data: options } = query
  const why = reasons.find((reason) => reason === search['why'])
  const notes = {
    ended: t.session.ended,
    out: t.session.loggedOut,
    factor: t.session.factor,
    provider: t.session.providerFailed,
    unreachable: t.session.providerUnreachable,
  }
  const whyNote = why && notes[why]
  const note = left.isLate ? t.session.codeTimedOut : whyNote
  const next = search['next'] === undefined ? {} : { next: `/console${search['next']}` }
  return (
    <main className={styles.page}>
      <div className={styles.brand}>
        <img src={`${import.meta.env.BASE_URL}favicon.svg`} width="32" height="32" alt="" />
        <PageTitle>{t.common.appName}</PageTitle>
      </div>
      <p className={styles.lead}>{t.session.lead}</p>
      {note !== undefined && !logIn.isError && !pending && (
        <p className={styles.note} role="status">
          {note}
        </p>
      )}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {pending ? (
        <CodeForm login={pending} logIn={logIn} onLeave={leave} />
      ) : (
        <div className={styles.cards}>
          <PasswordForm
            initialName={left.name}
            logIn={logIn}
            domain={domain}
            onDomain={setDomain}
            onLeave={() => storeText(domainKey, domain.trim())}
            providers={(options?.providers ?? []).map(({ id, name }) => ({
              name,
              href: `/api/session/providers/${encodeURIComponent(id)}?${new URLSearchParams(next).toString()}`,
            }))}
          />
          {options?.demo && <DemoUsers people={options.demo.people} logIn={logIn} />}
        </div>
      )}
      {options && (
        <p className={styles.version}>
          {options.platform} {options.version}
        </p>
      )}
    </main>
  )
}

/**
 * Clears all cached data of the previous user. Done here, because a page that is still on the screen
 * would load it again.
 */
function useClearCache(): void {
  const router = useRouter()
  const queryClient = useQueryClient()
  useEffect(() => {
    const [own] = loginOptionsQuery().queryKey
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== own })
    router.clearCache()
  }, [router, queryClient])
}

interface DemoUsersProps {
  readonly people: NonNullable<LoginOptions['demo']>['people']
  readonly logIn: LogIn
}

/** One-click logins of the demo. */
function DemoUsers({ people, logIn }: DemoUsersProps) {
  const t = useMessages()
  return (
    <section className={styles.card} aria-label={t.session.demoTitle}>
      <h2>{t.session.demoTitle}</h2>
      <p>{t.session.demoLead}</p>
      <ul className={styles.people}>
        {people.map(({ name, password, domain, role, project }) => (
          <li key={name}>
            <button
              type="button"
              className={styles.person}
              onClick={() => logIn.mutate({ name, password, domain })}
            >
              {t.session.demoAs(name)}
              <span>
                {role} · {project ?? domain}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

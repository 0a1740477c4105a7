import type { AccountTest } from '@muster/contract'
import { useFormat } from '../../messages/use-format.ts'
import { useValueNames } from '../../servers/value-names.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import styles from './account-form.module.css'

const mostStatuses = 6

interface Props {
  readonly test: AccountTest
  readonly isOutdated?: boolean
}

/** The result of a connection test. */
export function TestResult({ test, isOutdated = false }: Props) {
  const t = useMessages()
  const { number, duration } = useFormat()
  const names = useValueNames()
  const { ok, title, servers, statuses, sample, is_complete, error, duration_ms } = test
  const found = Object.entries(statuses).sort(([, a], [, b]) => b - a)
  const most = found.slice(0, mostStatuses)
  const namesOfActions: Readonly<Record<string, string>> = t.actions.names
  const actionsThat = (isAllowed: boolean) =>
    Object.entries(test.actions).flatMap(([name, is]) =>
      is === isAllowed ? [namesOfActions[name] ?? name] : [],
    )
  const [allowed, denied] = [actionsThat(true), actionsThat(false)]
  const rest = found.length - most.length
  return (
    <div className={styles.result} role="status">
      <p className={styles.verdict}>
        <StatusMark tone={ok ? 'good' : 'bad'}>
          {ok ? t.accounts.testWorks : t.accounts.testFails}
        </StatusMark>
        <span className={styles.took}>{t.accounts.testTook(duration(duration_ms))}</span>
      </p>
      {isOutdated && <p className={styles.outdated}>{t.accounts.testOutdated}</p>}
      {error !== '' && <p className={styles.error}>{error}</p>}
      <dl className={styles.found}>
        {title !== '' && (
          <>
            <dt>{t.accounts.testedSource}</dt>
            <dd>{title}</dd>
          </>
        )}
        {ok && (
          <>
            <dt>{t.accounts.servers}</dt>
            <dd>
              {number(servers)}
              {!is_complete && ` · ${t.accounts.testStopped}`}
            </dd>
          </>
        )}
        {found.length > 0 && (
          <>
            <dt>{t.accounts.statusesSeen}</dt>
            <dd>
              {most
                .map(([status, count]) => `${names.name('status', status)} ${number(count)}`)
                .join(' · ')}
              {rest > 0 && ` · ${t.accounts.moreStatuses(number(rest))}`}
            </dd>
          </>
        )}
        {allowed.length > 0 && (
          <>
            <dt>{t.accounts.testedActions}</dt>
            <dd>{allowed.join(', ')}</dd>
          </>
        )}
        {denied.length > 0 && (
          <>
            <dt>{t.accounts.testedNotAllowed}</dt>
            <dd>{denied.join(', ')}</dd>
          </>
        )}
        {sample.length > 0 && (
          <>
            <dt>{t.accounts.sample}</dt>
            <dd>
              <ul>
                {sample.map((name, place) => (
                  <li key={place}>
                    <code>{name}</code>
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
      </dl>
      {ok && servers === 0 && <p>{t.accounts.nothingSeen}</p>}
    </div>
  )
}

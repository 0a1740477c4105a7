import type { ProviderTest } from '@muster/contract'
import { useFormat } from '../../messages/use-format.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { fieldLabel } from '../accounts/field-label.ts'
import styles from './identity-providers.module.css'

interface Props {
  readonly test: ProviderTest
  readonly isOutdated?: boolean
}

/** The result of a test: what was checked, and what is wrong. */
export function ProviderChecks({ test, isOutdated = false }: Props) {
  const t = useAllMessages()
  const { duration } = useFormat()
  const { ok, checks, duration_ms } = test
  return (
    <div className={styles.checks} role="status">
      <p>
        <StatusMark tone={ok ? 'good' : 'bad'}>
          {ok ? t.accounts.testWorks : t.accounts.testFails}
        </StatusMark>{' '}
        <span className={styles.soft}>{t.accounts.testTook(duration(duration_ms))}</span>
      </p>
      {isOutdated && <p className={styles.outdated}>{t.accounts.testOutdated}</p>}
      <ul>
        {checks.map(({ name, ok: passed, text, option }, at) => (
          <li key={at}>
            <StatusMark tone={passed ? 'good' : 'bad'}>{t.providers.checks[name]}</StatusMark>
            <span className={styles.text}>
              {text}
              {option !== '' &&
                ` · ${t.providers.lookAt(fieldLabel(option, t.providers.optionNames))}`}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

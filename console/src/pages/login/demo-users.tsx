import type { LoginOptions } from '@muster/contract'
import { useMessages } from '../../messages/use-messages.ts'
import styles from './login-page.module.css'
import type { LogIn } from './use-log-in.ts'

interface Props {
  readonly people: NonNullable<LoginOptions['demo']>['people']
  readonly logIn: LogIn
}

/** In demo mode: one click, and one sees the fleet with another's eyes. */
export function DemoUsers({ people, logIn }: Props) {
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

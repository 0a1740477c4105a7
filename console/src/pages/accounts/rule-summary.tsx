import { Fragment } from 'react'
import { useMessages } from '../../messages/use-messages.ts'
import { Icon } from '../../ui/icon.tsx'
import styles from './mapping-editor.module.css'
import { conditions, type DraftRule } from './mapping-rules.ts'

interface Props {
  readonly rule: DraftRule
  readonly project: string
}

/** A rule as one reads it: tag team=web and server name db-* to project web. */
export function RuleSummary({ rule, project }: Props) {
  const t = useMessages()
  const said = conditions.filter((name) => rule[name].trim() !== '')
  if (said.length === 0 && project === '') {
    return <span className={`${styles.words} ${styles.soft}`}>{t.accounts.newRule}</span>
  }
  return (
    <span className={styles.words}>
      {said.map((name, index) => (
        <Fragment key={name}>
          {index > 0 && <span className={styles.soft}>{t.accounts.and}</span>}
          <span className={styles.condition}>
            <span className={styles.soft}>{t.accounts.conditions[name]}</span>
            <code>{rule[name]}</code>
          </span>
        </Fragment>
      ))}
      <span className={styles.target}>
        <Icon name="right" size={12} />
        <span className="visuallyHidden">{t.accounts.to}</span>
        {project === '' ? '–' : project}
      </span>
    </span>
  )
}

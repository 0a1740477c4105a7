import { type KeyboardEvent, Fragment } from 'react'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import styles from './mapping-editor.module.css'
import { type DraftRule, type RuleProblem, conditions } from './mapping-rules.ts'
import { RuleForm } from './rule-form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'

interface Props {
  readonly rule: DraftRule
  readonly index: number
  readonly of: number
  readonly project: string
  readonly problem: RuleProblem | undefined
  readonly isOpen: boolean
  readonly disabledReason: string | undefined
  readonly onOpen: () => void
  readonly onClose: () => void
  readonly onChange: (rule: DraftRule) => void
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
}

/** A mapping rule with inline editing. Buttons or Alt and an arrow key move it. */
export function RuleItem(props: Props) {
  const { rule, index, of, project, problem, isOpen, disabledReason } = props
  const { onOpen, onClose, onChange, onMove, onRemove } = props
  const t = useMessages()
  const { number } = useFormat()
  const name = t.accounts.rule(number(index + 1))
  const isFirst = index === 0
  const isLast = index === of - 1

  function moveByKey(event: KeyboardEvent): void {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined
    if (by === undefined || !event.altKey || disabledReason !== undefined) return
    event.preventDefault()
    onMove(by)
  }

  return (
    <li className={styles.rule} data-rule={rule.key} onKeyDown={moveByKey}>
      <div className={styles.row}>
        <span className={styles.number}>{number(index + 1)}</span>
        <RuleSummary rule={rule} project={project} />
        <span className={styles.actions}>
          <Button
            small
            look="quiet"
            icon="up"
            data-action="up"
            label={t.accounts.moveUp(name)}
            disabledReason={disabledReason ?? (isFirst ? t.accounts.isFirst : undefined)}
            onClick={() => onMove(-1)}
          />
          <Button
            small
            look="quiet"
            icon="down"
            data-action="down"
            label={t.accounts.moveDown(name)}
            disabledReason={disabledReason ?? (isLast ? t.accounts.isLast : undefined)}
            onClick={() => onMove(1)}
          />
          <Button
            small
            look="quiet"
            icon="edit"
            data-action="edit"
            aria-expanded={isOpen}
            label={t.accounts.editRule(name)}
            disabledReason={disabledReason}
            onClick={isOpen ? onClose : onOpen}
          />
          <Button
            small
            look="quiet"
            icon="trash"
            data-action="remove"
            label={t.accounts.removeRule(name)}
            disabledReason={disabledReason}
            onClick={onRemove}
          />
        </span>
      </div>
      {problem && (
        <p className={styles.problem} role="alert">
          <StatusShape tone="bad" />
          {wordsOf(problem, name, t.accounts)}
        </p>
      )}
      {isOpen && <RuleForm rule={rule} onChange={onChange} onClose={onClose} />}
    </li>
  )
}

type Messages = ReturnType<typeof useMessages>['accounts']

function wordsOf(problem: RuleProblem, name: string, t: Messages): string {
  if (problem === 'condition') return t.needsCondition
  return problem === 'project' ? t.needsProject : t.fieldProblem(name, problem.apiError)
}

interface RuleSummaryProps {
  readonly rule: DraftRule
  readonly project: string
}

/** A rule in one line: tag team=web and server name db-* to project web. */
function RuleSummary({ rule, project }: RuleSummaryProps) {
  const t = useMessages()
  const filled = conditions.filter((name) => rule[name].trim() !== '')
  if (filled.length === 0 && project === '') {
    return <span className={`${styles.summary} ${styles.soft}`}>{t.accounts.newRule}</span>
  }
  return (
    <span className={styles.summary}>
      {filled.map((name, index) => (
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

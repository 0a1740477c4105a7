import type { LoginPreview } from '@muster/contract'
import { useAllMessages } from '../../messages/use-messages.ts'
import { Nothing } from '../../ui/section.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { Table } from '../../ui/table.tsx'
import styles from './identity-providers.module.css'

interface Props {
  readonly preview: LoginPreview
  readonly isOutdated: boolean
}

const tones = { match: 'good', no_match: 'idle', broken: 'bad' } as const

/** Whom a login means, and which roles follow by which rule. */
export function LoginPreviewResult({ preview, isOutdated }: Props) {
  const { providers: t, identity } = useAllMessages()
  const { user, attributes, assignments, rules } = preview
  const ruleName = (at: number) => String(at + 1)
  const placeOf = ({ project, domain }: { readonly project: string; readonly domain: string }) =>
    project || domain
  const conditionOf = ({ attribute, value }: (typeof rules)[number]) =>
    attribute === '' ? t.appliesToNames.everybody : `${attribute} = ${value}`
  const person = [user.displayname, user.email].filter((text) => text !== '').join(' · ')
  return (
    <div className={styles.preview} role="status">
      {isOutdated && <p className={styles.outdated}>{t.previewOutdated}</p>}
      <p>
        <StatusMark tone={user.result === 'refused' ? 'bad' : 'good'}>
          {t.results[user.result](user.name)}
        </StatusMark>
      </p>
      {user.problem !== '' && <p className={styles.text}>{user.problem}</p>}
      {person !== '' && <p className={styles.text}>{person}</p>}
      {assignments.length === 0 ? (
        <Nothing>{t.noRoles}</Nothing>
      ) : (
        <Table
          caption={t.roles}
          rows={assignments.map((assignment, at) => ({ ...assignment, at }))}
          rowKey={({ at }) => String(at)}
          columns={[
            { key: 'role', title: identity.role, cell: ({ role }) => role },
            { key: 'where', title: identity.where, cell: placeOf },
            { key: 'result', title: t.effect, cell: ({ result }) => t.effects[result] },
            {
              key: 'rules',
              title: identity.rules,
              cell: ({ rules: own }) => own.map(ruleName).join(', '),
            },
          ]}
        />
      )}
      {rules.length > 0 && (
        <Table
          caption={identity.rules}
          rows={rules.map((rule, at) => ({ ...rule, at }))}
          rowKey={({ at }) => String(at)}
          columns={[
            { key: 'at', title: '#', cell: ({ at }) => ruleName(at) },
            { key: 'condition', title: t.appliesTo, cell: conditionOf },
            {
              key: 'result',
              title: identity.state,
              cell: ({ result, matched }) => (
                <StatusMark tone={tones[result]}>
                  {matched === '' ? t.ruleResults[result] : `${t.ruleResults[result]}: ${matched}`}
                </StatusMark>
              ),
            },
          ]}
        />
      )}
      <details>
        <summary>{t.attributes}</summary>
        <dl className={styles.text}>
          {attributes.map(({ name, values }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{values.join(', ')}</dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  )
}

import { isApiError } from '@muster/sdk'
import { useState, type FormEvent } from 'react'
import { useMessages } from '../../messages/use-messages.ts'
import type { Messages } from '../../messages/en/index.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { TextField } from '../../ui/field.tsx'
import { bounds, changeOf, checkTag, type KeyProblem } from './check-tag.ts'
import type { Tag } from '../../servers/tags.ts'
import styles from './tags.module.css'
import { useChangeTags } from './use-change-tags.ts'

interface Props {
  readonly serverId: string
  /** Undefined for a new tag. */
  readonly before?: Tag
  /** The keys of the other tags. */
  readonly others: readonly string[]
  readonly onSaved: () => void
  readonly onCancel: () => void
}

function explainKey(problem: KeyProblem | undefined, t: Messages['server']): string | undefined {
  if (problem === undefined) return undefined
  return problem === 'tooLong' ? t.keyTooLong(bounds.key) : t.keyProblems[problem]
}

/** An inline form for a tag. */
export function TagForm({ serverId, before, others, onSaved, onCancel }: Props) {
  const { server: t, common } = useMessages()
  const [tag, setTag] = useState<Tag>(before ?? { key: '', value: '' })
  const [wasTried, setTried] = useState(false)
  const { mutate, error, isPending, reset } = useChangeTags(serverId)

  const problems = wasTried ? checkTag(tag, others) : {}
  const refusal = isApiError(error) ? error.fields[0]?.problem : undefined

  function change(part: Partial<Tag>): void {
    setTag({ ...tag, ...part })
    reset()
  }

  function save(event: FormEvent): void {
    event.preventDefault()
    setTried(true)
    if (isPending || Object.keys(checkTag(tag, others)).length > 0) return
    mutate(changeOf(before, tag), { onSuccess: onSaved })
  }

  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={save}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        onCancel()
      }}
    >
      <TextField
        label={t.key}
        required
        autoFocus={before === undefined}
        value={tag.key}
        error={explainKey(problems.key, t) ?? refusal}
        onChange={({ target }) => change({ key: target.value })}
      />
      <TextField
        label={t.value}
        autoFocus={before !== undefined}
        value={tag.value}
        error={problems.value && t.valueTooLong(bounds.value)}
        onChange={({ target }) => change({ value: target.value })}
      />
      <div className={styles.buttons}>
        <Button type="submit" look="primary" busy={isPending}>
          {t.saveTag}
        </Button>
        <Button onClick={onCancel}>{common.cancel}</Button>
      </div>
      {error !== null && refusal === undefined && (
        <div className={styles.wide}>
          <ErrorNotice error={error} />
        </div>
      )}
    </form>
  )
}

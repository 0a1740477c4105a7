import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { prefixes } from '../../servers/tags.ts'
import styles from './tags.module.css'
import { useChangeTags } from './use-change-tags.ts'

interface Props {
  readonly serverId: string
  readonly tagKey: string
  readonly onRemoved: () => void
  readonly onCancel: () => void
}

/** Asks before a tag is removed. */
export function RemoveTag({ serverId, tagKey, onRemoved, onCancel }: Props) {
  const { server: t } = useMessages()
  const { mutate, error, isPending } = useChangeTags(serverId)
  return (
    <div
      className={styles.question}
      role="group"
      aria-label={t.removeQuestion(tagKey)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        onCancel()
      }}
    >
      <bdi>{t.removeQuestion(tagKey)}</bdi>
      <span className={styles.buttons}>
        <Button
          small
          look="danger"
          busy={isPending}
          autoFocus
          onClick={() => mutate({ [prefixes.own + tagKey]: null }, { onSuccess: onRemoved })}
        >
          {t.remove}
        </Button>
        <Button small onClick={onCancel}>
          {t.keep}
        </Button>
      </span>
      {error !== null && (
        <div className={styles.wide}>
          <ErrorNotice error={error} />
        </div>
      )}
    </div>
  )
}

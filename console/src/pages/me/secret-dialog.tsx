import type { NewCredentialDto } from '@muster/contract'
import { useState } from 'react'
import { useApiUrl } from '../../api/use-api-url.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { Icon } from '../../ui/icon.tsx'
import { firstCommands } from './first-commands.ts'
import styles from './me.module.css'

interface Props {
  readonly made: NewCredentialDto
  readonly onClose: () => void
}

/** Shows a secret once. Closing without copying takes a second attempt, since Escape is easily pressed. */
export function SecretDialog({ made, onClose }: Props) {
  const t = useMessages()
  const url = useApiUrl()
  const [isLeaving, setLeaving] = useState(false)
  const snippet = firstCommands(url, made)
  return (
    <Dialog
      title={t.me.secretTitle}
      wide
      onClose={() => (isLeaving ? onClose() : setLeaving(true))}
      footer={
        <Button look="primary" onClick={onClose}>
          {t.me.done}
        </Button>
      }
    >
      <p className={styles.warning} role="alert">
        <Icon name="warning" /> {isLeaving ? t.me.notCopied : t.me.secretWarning}
      </p>
      <PropertyList>
        <Property label={t.me.key}>
          <Copyable value={made.access_key} />
        </Property>
        <Property label={t.me.secret}>
          <Copyable value={made.secret} />
        </Property>
      </PropertyList>
      <div className={styles.try}>
        <h3>{t.me.tryIt}</h3>
        <pre className={styles.snippet} tabIndex={0} aria-label={t.me.tryIt}>
          {snippet}
        </pre>
        <Copyable value={snippet}>{t.me.copySnippet}</Copyable>
        <p className={styles.hint}>{t.me.tryItHint}</p>
      </div>
    </Dialog>
  )
}

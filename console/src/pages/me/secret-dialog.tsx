import type { NewCredentialDto } from '@muster/contract'
import { useApiUrl } from '../../api/use-api-url.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { ShownOnceDialog } from '../../ui/shown-once-dialog.tsx'
import { firstCommands } from './first-commands.ts'
import styles from './me.module.css'

interface Props {
  readonly made: NewCredentialDto
  readonly onClose: () => void
}

/** Shows a new access key once, with commands to begin with. */
export function SecretDialog({ made, onClose }: Props) {
  const t = useMessages()
  const url = useApiUrl()
  const snippet = firstCommands(url, made)
  return (
    <ShownOnceDialog title={t.me.secretTitle} wide warning={t.me.secretWarning} onClose={onClose}>
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
    </ShownOnceDialog>
  )
}

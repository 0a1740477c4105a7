import { saveFile } from '../../browser/save-file.ts'
import { useAllMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { ShownOnceDialog } from '../../ui/shown-once-dialog.tsx'
import styles from './factors.module.css'

interface Props {
  readonly codes: readonly string[]
  readonly onClose: () => void
}

/** Shows new recovery codes once. */
export function RecoveryCodesDialog({ codes, onClose }: Props) {
  const { factors: t } = useAllMessages()
  const text = `${codes.join('\n')}\n`
  return (
    <ShownOnceDialog title={t.codesTitle} warning={t.codesWarning} onClose={onClose}>
      <ul className={styles.codes} aria-label={t.recoveryCodes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles.row}>
        <Copyable value={text}>{t.copyCodes}</Copyable>
        <Button
          small
          icon="download"
          onClick={() => saveFile(new Blob([text], { type: 'text/plain' }), `${t.codesFile}.txt`)}
        >
          {t.downloadCodes}
        </Button>
      </div>
    </ShownOnceDialog>
  )
}

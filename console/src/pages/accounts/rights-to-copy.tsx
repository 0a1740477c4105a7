import type { CloudProvider } from '@muster/contract'
import { copyText } from '../../browser/copy-text.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { FormSection } from './form-section.tsx'
import styles from './rights-to-copy.module.css'

interface Props extends Pick<CloudProvider, 'rights'> {
  readonly title?: string
  readonly lead: string
}

/** The least permissions that the credentials need, each ready to paste. */
export function RightsToCopy({ title, lead, rights }: Props) {
  const t = useMessages()
  return (
    <FormSection title={title ?? t.accounts.rightsSection} lead={lead}>
      {rights.map(({ title, text }) => (
        <details key={title} className={styles.rights}>
          <summary>{title}</summary>
          <pre tabIndex={0} aria-label={title}>
            {text}
          </pre>
          <Button
            icon="copy"
            aria-label={t.accounts.copyRights(title)}
            onClick={() => void copyText(text).then(() => showToast(t.common.copied))}
          >
            {t.common.copy}
          </Button>
        </details>
      ))}
    </FormSection>
  )
}

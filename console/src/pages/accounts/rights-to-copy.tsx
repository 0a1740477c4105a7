import type { CloudProvider } from '@muster/contract'
import { copyText } from '../../browser/copy-text.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/show-toast.ts'
import type { AccountValues } from './account-values.ts'
import { FormSection } from './form-section.tsx'
import styles from './rights-to-copy.module.css'

interface Props extends Pick<AccountValues, 'access'> {
  readonly provider: CloudProvider
}

/** The least permissions that the credentials need for the chosen access, each ready to paste. */
export function RightsToCopy({ provider, access }: Props) {
  const t = useMessages()
  const rights =
    access === 'manage' ? [...provider.rights, ...provider.action_rights] : provider.rights
  if (rights.length === 0) return null
  return (
    <FormSection title={t.accounts.rightsSection} lead={t.accounts.rightsLeads[access]}>
      {rights.map(({ title, text }, index) => (
        <details key={title} className={styles.rights} open={index === 0}>
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

import type { CloudAccount } from '@muster/contract'
import { useMessages } from '../../messages/use-messages.ts'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import styles from './account-page.module.css'
import { fieldLabel } from './field-label.ts'
import { OptionValue } from './option-value.tsx'

/** What was said to the provider, where anything was. */
export function AccountOptions({ options }: Pick<CloudAccount, 'options'>) {
  const t = useMessages()
  const said = Object.entries(options)
  if (said.length === 0) return null
  return (
    <section className={styles.section} aria-labelledby="account-options">
      <h2 id="account-options">{t.accounts.optionsSection}</h2>
      <PropertyList>
        {said.map(([name, value]) => (
          <Property key={name} label={fieldLabel(name, t.accounts.fieldNames)}>
            <OptionValue value={value} />
          </Property>
        ))}
      </PropertyList>
    </section>
  )
}

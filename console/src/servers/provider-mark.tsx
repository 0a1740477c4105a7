import { Icon, type IconName } from '../ui/icon.tsx'
import styles from './provider-mark.module.css'

/** What a provider is, not its logo. A public cloud is a cloud. */
const icons: Readonly<Record<string, IconName>> = {
  OneCloud: 'chip',
  Proxmox: 'chip',
  Incus: 'box',
  VMware: 'windows',
  OpenStack: 'stack',
  Simulator: 'flask',
}

/** Stands before the name of the provider, or of an account of it. */
export function ProviderMark({ provider }: { readonly provider: string }) {
  return (
    <span className={styles.mark}>
      <Icon name={icons[provider] ?? 'cloud'} size={14} />
    </span>
  )
}

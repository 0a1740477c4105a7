import { Copyable } from '../../ui/copyable.tsx'
import { MissingValue } from './missing-value.tsx'
import styles from './server.module.css'

/** A list of addresses that can be copied. */
export function Addresses({ list }: { readonly list: string }) {
  const addresses = list.split(',').filter(Boolean)
  if (addresses.length === 0) return <MissingValue is="none" />
  return (
    <span className={styles.addresses}>
      {addresses.map((address) => (
        <Copyable key={address} value={address} />
      ))}
    </span>
  )
}

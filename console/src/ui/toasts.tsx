import { useSyncExternalStore } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from './button.tsx'
import { currentToasts, dismissToast, subscribeToToasts } from './show-toast.ts'
import styles from './toasts.module.css'

export function Toasts() {
  const t = useMessages()
  const shown = useSyncExternalStore(subscribeToToasts, currentToasts)
  return (
    <div className={styles.toasts} role="status" aria-live="polite">
      {shown.map(({ id, text }) => (
        <div key={id} className={styles.toast}>
          <p>{text}</p>
          <Button
            look="quiet"
            small
            icon="close"
            label={t.common.close}
            onClick={() => dismissToast(id)}
          />
        </div>
      ))}
    </div>
  )
}

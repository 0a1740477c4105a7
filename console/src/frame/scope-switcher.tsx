import { useState } from 'react'
import { useSession } from '../session/use-session.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { ScopeDialog } from './scope-dialog.tsx'
import styles from './scope-switcher.module.css'

/** Always in sight: everybody's first mistake is looking in the wrong project. */
export function ScopeSwitcher() {
  const t = useMessages()
  const { scope } = useSession()
  const [isOpen, setOpen] = useState(false)
  const kind = scope.kind === 'domain' ? t.frame.domain : t.frame.project
  return (
    <>
      <Button className={styles.trigger} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <span className={styles.current} title={scope.name}>
          <span className={styles.kind}>{kind}: </span>
          {scope.name === '' ? t.frame.noScope : scope.name}
          {scope.kind === 'project' && <span className={styles.kind}> · {scope.domain.name}</span>}
        </span>
        <Icon name="down" size={12} />
      </Button>
      {isOpen && <ScopeDialog onClose={() => setOpen(false)} />}
    </>
  )
}

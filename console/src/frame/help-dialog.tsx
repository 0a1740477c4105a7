import { useId } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import { Dialog } from '../ui/dialog.tsx'
import { CheckField } from '../ui/field.tsx'
import styles from './help-dialog.module.css'
import { chooseSingleKeys, hasSingleKeys } from './preferences.ts'
import { usePreference } from './use-preference.ts'

const shortcuts = [
  ['Ctrl/⌘ K', 'palette'],
  ['/', 'filter'],
  ['j', 'next'],
  ['k', 'previous'],
  ['Enter', 'open'],
  ['x', 'select'],
  ['X', 'selectRange'],
  ['f', 'filterRow'],
  ['r', 'refresh'],
  ['g o', 'goOverview'],
  ['g s', 'goServers'],
  ['g c', 'goChanges'],
  ['g h', 'goInfrastructure'],
  ['g a', 'goAccounts'],
  ['g l', 'goLocations'],
  ['g i', 'goIdentity'],
  ['g t', 'goTasks'],
  ['g e', 'goActivity'],
  ['Esc', 'close'],
  ['?', 'help'],
] as const

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useMessages()
  const hint = useId()
  const isOn = usePreference(hasSingleKeys)
  return (
    <Dialog title={t.frame.keyboard} onClose={onClose}>
      <div className={styles.choice}>
        <CheckField
          label={t.frame.singleKeys}
          aria-describedby={hint}
          checked={isOn}
          onChange={(event) => chooseSingleKeys(event.target.checked)}
        />
        <p id={hint} className={styles.hint}>
          {t.frame.singleKeysHint}
        </p>
      </div>
      <dl className={styles.keys}>
        {shortcuts.map(([keys, name]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{t.frame.shortcuts[name]}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { SessionScope } from '../session/remembered-scope.ts'
import { switchScope } from '../session/switch-scope.ts'
import { useSession } from '../session/use-session.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Dialog } from '../ui/dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { TextField } from '../ui/field.tsx'
import { showToast } from '../ui/show-toast.ts'
import styles from './scope-switcher.module.css'

interface Option {
  readonly id: string
  readonly name: string
  readonly hint: string
  readonly scope: SessionScope
}

/** Switches to a project or domain, with a search. */
export function ScopeDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useMessages()
  const { scope, projects, domains } = useSession()
  const [text, setText] = useState('')
  const go = useMutation({
    mutationFn: ({ scope }: Option) => switchScope(scope),
    onSuccess(session) {
      showToast(t.frame.switched(session.scope.name))
      onClose()
    },
  })
  const options: readonly Option[] = [
    ...domains.map(({ id, name }) => ({
      id,
      name,
      hint: t.frame.domain,
      scope: { domain_id: id },
    })),
    ...projects.map(({ id, name, domain }) => ({
      id,
      name,
      hint: domain.name,
      scope: { project_id: id },
    })),
  ]
  const wanted = text.trim().toLowerCase()
  const found = options.filter(({ name, id, hint }) =>
    [name, id, hint].some((part) => part.toLowerCase().includes(wanted)),
  )
  return (
    <Dialog title={t.frame.scope} onClose={onClose}>
      {options.length === 0 ? (
        <EmptyState title={t.frame.noProjects} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (found[0]) go.mutate(found[0])
          }}
        >
          <TextField
            label={t.frame.findProject}
            required
            value={text}
            autoFocus
            onChange={(event) => setText(event.target.value)}
          />
        </form>
      )}
      {go.isError && <ErrorNotice error={go.error} />}
      {options.length > 0 && found.length === 0 && <p>{t.frame.noProjectMatches}</p>}
      <ul className={styles.list}>
        {found.map((option, index) => (
          <li key={`${option.hint} ${option.id}`}>
            <button
              type="button"
              className={styles.option}
              data-active={index === 0 && wanted !== ''}
              aria-current={option.id === scope.id ? 'true' : undefined}
              onClick={() => go.mutate(option)}
            >
              {option.name}
              <span className={styles.hint}>{option.hint}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

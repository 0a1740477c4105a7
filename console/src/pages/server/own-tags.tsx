import type { Server } from '@muster/contract'
import { useEffect, useId, useRef, useState } from 'react'
import { useAsOf } from '../../inventory/use-as-of.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { bounds } from './check-tag.ts'
import { RemoveTag } from './remove-tag.tsx'
import { TagForm } from './tag-form.tsx'
import { TagRow } from './tag-row.tsx'
import { tagsOf } from '../../servers/tags.ts'
import styles from './tags.module.css'
import { useTagReason } from './use-tag-reason.ts'

type Doing = { readonly kind: 'add' } | { readonly kind: 'edit' | 'remove'; readonly key: string }

/** The editable tags of a server. */
export function OwnTags({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const base = useId()
  const [doing, setDoing] = useState<Doing>()
  const back = useRef<string>(undefined)
  const tags = tagsOf(server.metadata, 'own')
  const reason = useTagReason(server)
  const isNow = useAsOf() === undefined
  const isFull = tags.length >= bounds.tags

  // Restores the focus after a form closes.
  useEffect(() => {
    if (doing !== undefined || back.current === undefined) return
    const button = document.getElementById(back.current) ?? document.getElementById(`${base}-add`)
    button?.focus()
    back.current = undefined
  }, [doing, base])

  function begin(next: Doing, from: string): void {
    back.current = from
    setDoing(next)
  }
  const end = () => setDoing(undefined)
  function finish(text: string): void {
    showToast(text)
    end()
  }

  return (
    <>
      {tags.length === 0 && doing === undefined && <p className={styles.empty}>{t.noOwnTags}</p>}
      <ul className={styles.list}>
        {tags.map((tag) => {
          const { key } = tag
          const isMeant = doing !== undefined && 'key' in doing && doing.key === key
          return (
            <li key={key}>
              {isMeant && doing.kind === 'edit' ? (
                <TagForm
                  serverId={server.id}
                  before={tag}
                  others={tags.map((other) => other.key).filter((other) => other !== key)}
                  onSaved={() => finish(t.tagSaved)}
                  onCancel={end}
                />
              ) : isMeant ? (
                <RemoveTag
                  serverId={server.id}
                  tagKey={key}
                  onRemoved={() => finish(t.tagRemoved)}
                  onCancel={end}
                />
              ) : (
                <TagRow
                  tag={tag}
                  origin="own"
                  actions={(isNow ? (['edit', 'remove'] as const) : []).map((kind) => (
                    <Button
                      key={kind}
                      id={`${base}-${kind}-${key}`}
                      look="quiet"
                      small
                      icon={kind === 'edit' ? 'edit' : 'trash'}
                      label={kind === 'edit' ? t.editTag(key) : t.removeTag(key)}
                      disabledReason={reason}
                      onClick={() => begin({ kind, key }, `${base}-${kind}-${key}`)}
                    />
                  ))}
                />
              )}
            </li>
          )
        })}
      </ul>
      {doing?.kind === 'add' ? (
        <TagForm
          serverId={server.id}
          others={tags.map(({ key }) => key)}
          onSaved={() => finish(t.tagSaved)}
          onCancel={end}
        />
      ) : (
        isNow && (
          <div>
            <Button
              id={`${base}-add`}
              icon="plus"
              disabledReason={reason ?? (isFull ? t.tooManyTags(bounds.tags) : undefined)}
              onClick={() => begin({ kind: 'add' }, `${base}-add`)}
            >
              {t.addTag}
            </Button>
          </div>
        )
      )}
    </>
  )
}

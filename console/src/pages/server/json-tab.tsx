import type { Server } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import { useApiUrl } from '../../api/use-api-url.ts'
import { useAsOf } from '../../inventory/use-as-of.ts'
import { useSession } from '../../session/use-session.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { CopyButton } from './copy-button.tsx'
import { serverCommand, tokenCommand } from './curl.ts'
import { prettyJson } from './pretty-json.ts'
import styles from './server.module.css'

export function JsonTab({ server }: { readonly server: Server }) {
  const { server: t } = useMessages()
  const session = useSession()
  const url = useApiUrl()
  const asOf = useAsOf()
  return (
    <div className={styles.part}>
      <section className={styles.part}>
        <h2>{t.curl}</h2>
        <p className={styles.soft}>{t.curlText}</p>
        <Code title={t.curlToken} text={tokenCommand(url, session)} wraps />
        <p className={styles.soft}>
          {t.curlTokenHint} <Link to="/me/keys">{t.curlKey}</Link>
        </p>
        <Code title={t.curlServer} text={serverCommand(url, server.id, asOf)} wraps />
      </section>
      <Code title={t.json} text={prettyJson({ server })} />
    </div>
  )
}

interface CodeProps {
  readonly title: string
  readonly text: string
  readonly wraps?: boolean
}

/** A code block with a copy button. */
function Code({ title, text, wraps = false }: CodeProps) {
  const { common } = useMessages()
  return (
    <figure className={styles.code}>
      <figcaption>
        {title}
        <CopyButton value={text}>{common.copy}</CopyButton>
      </figcaption>
      <pre
        className={wraps ? styles.wraps : undefined}
        tabIndex={wraps ? undefined : 0}
        role="region"
        aria-label={title}
      >
        {text}
      </pre>
    </figure>
  )
}

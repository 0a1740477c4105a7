import './styles/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { startLanguage } from './messages/language.ts'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no root.')

await startLanguage()
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)

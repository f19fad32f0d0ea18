import './styles/console.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './frame/app.tsx'
import { guardBackButton } from './parts/guard.ts'
import { applyTheme } from './parts/preferences.ts'
import { connectSession, takeFragment } from './session/session.ts'

takeFragment()
applyTheme()
connectSession()
guardBackButton()

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )

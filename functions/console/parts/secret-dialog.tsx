import { useState } from 'react'
import { texts } from '../texts/texts.ts'
import { ActionButton, ModalDialog } from './controls.tsx'

/** Saves a text as a file in the person's download folder. */
export function saveFile(name: string, text: string, type: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

type Props = { token: string; name: string; onClose: () => void }

/** Shows a new token once, to copy or save it. Nothing else in the page contains it. */
export function SecretDialog({ token, name, onClose }: Props) {
  const [isCopied, setCopied] = useState(false)
  return (
    <ModalDialog title={texts.secret.title} onClose={onClose} isAlert>
      <p>{texts.secret.hint}</p>
      <output className="secret">
        <code>{token}</code>
      </output>
      <div className="dialog-actions">
        <ActionButton onPress={() => saveFile(`${name}.txt`, `${token}\n`, 'text/plain')}>
          {texts.actions.saveFile}
        </ActionButton>
        <ActionButton onPress={() => void navigator.clipboard.writeText(token).then(() => setCopied(true))}>
          {isCopied ? texts.actions.copied : texts.actions.copy}
        </ActionButton>
        <ActionButton tone="primary" onPress={onClose}>
          {texts.actions.done}
        </ActionButton>
      </div>
    </ModalDialog>
  )
}

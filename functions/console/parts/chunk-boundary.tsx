import { Component, type ReactNode } from 'react'
import { texts } from '../texts/texts.ts'
import { ActionButton, ModalDialog } from './controls.tsx'
import { hasUnsavedForm } from './guard.ts'
import { Empty } from './states.tsx'

/** Children, and for those that are above the page a function that closes them. */
type Props = { children: ReactNode; onClose?: () => void }

/** Shows a prompt to reload if the code of its children cannot be loaded. Names a form that a reload would discard (K2.4). */
export class ChunkBoundary extends Component<Props> {
  override state = { isFailed: false }

  static getDerivedStateFromError() {
    return { isFailed: true }
  }

  override render() {
    const { children, onClose } = this.props
    if (!this.state.isFailed) return children
    const reload = <ActionButton onPress={() => location.reload()}>{texts.states.reload}</ActionButton>
    if (!onClose) return <Empty isPage title={texts.states.chunk} action={reload} />
    return (
      <ModalDialog title={texts.states.chunk} onClose={onClose} isAlert>
        {hasUnsavedForm() && <p>{texts.states.unsaved(document.title)}</p>}
        <div className="dialog-actions">
          {reload}
          <ActionButton tone="primary" onPress={onClose}>
            {texts.actions.close}
          </ActionButton>
        </div>
      </ModalDialog>
    )
  }
}

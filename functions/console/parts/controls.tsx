import type { ReactNode } from 'react'
import { Dialog, Heading, Modal, ModalOverlay, Button as PressButton } from 'react-aria-components'
import { Link as RouterLink } from 'wouter'
import { Icon, type IconName } from './icons.tsx'

type Tone = 'primary' | 'plain' | 'danger' | 'quiet'

type ButtonProps = {
  children: ReactNode
  onPress?: () => void
  tone?: Tone
  icon?: IconName
  type?: 'button' | 'submit'
  isDisabled?: boolean
  isPending?: boolean
  label?: string
}

export function ActionButton({ children, tone = 'plain', icon, label, ...props }: ButtonProps) {
  return (
    <PressButton {...props} {...(label && { 'aria-label': label })} className={`button ${tone}`}>
      {icon && <Icon name={icon} />}
      {children}
    </PressButton>
  )
}

/** Link that looks like a button, for actions that have an address. */
export function ActionLink({ to, children, tone = 'plain', icon }: { to: string } & Omit<ButtonProps, 'onPress'>) {
  return (
    <RouterLink href={to} className={`button ${tone}`}>
      {icon && <Icon name={icon} />}
      {children}
    </RouterLink>
  )
}

type ModalProps = { title: ReactNode; children: ReactNode; onClose: () => void; wide?: boolean; isAlert?: boolean }

/** Dialog above the page. Closing it by Esc or outside calls `onClose`; an alert closes by its buttons only. */
export function ModalDialog({ title, children, onClose, wide = false, isAlert = false }: ModalProps) {
  return (
    <ModalOverlay
      isOpen
      className="overlay"
      isDismissable={!isAlert}
      isKeyboardDismissDisabled={isAlert}
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <Modal className={wide ? 'modal wide' : 'modal'}>
        <Dialog role={isAlert ? 'alertdialog' : 'dialog'} className="dialog">
          <Heading slot="title" className="dialog-title">
            {title}
          </Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

/** `quiet` is for the normal state, so that exceptions are visible. */
export type BadgeTone = 'good' | 'bad' | 'warn' | 'neutral' | 'quiet'

export function Badge({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>
}

import { defaultSettings } from '#shared/core/env.ts'
import { mailAddress } from './forms.ts'
import { flag, integer } from './kinds.ts'
import { optional, setting } from './setting.ts'

/** What the service does by itself, and how often. */
export const behaviourSettings = {
  syncDeletionBrakePercent: setting(
    integer(1, 100),
    defaultSettings.syncDeletionBrakePercent,
    'how many percent of what a directory or inventory owns one sync run may delete before it stops',
  ),
  heartbeatSecs: setting(
    integer(1, 86_400),
    defaultSettings.heartbeatSecs,
    'how often gateways and clients call; a lease is three of them',
  ),
  live: setting(flag, true, 'whether gateways and clients have a live channel'),
  mailSender: optional(mailAddress, 'whom mails to administrators come from, verified in Amazon SES'),
}

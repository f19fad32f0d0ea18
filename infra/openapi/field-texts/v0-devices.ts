import { integer, type Text, type Texts } from './text.ts'

const usesDefault = (name: string): Text => ({
  description: `Whether \`${name}\` is that of the configuration; false when a value is sent without it.`,
  example: false,
})

/** Devices of the legacy API. */
export const v0DevicesTexts: Texts = {
  'v0_devices.description': {
    description: 'A remark, at most 2048 characters; null for none.',
    example: 'Work laptop',
  },
  'v0_devices.ipv4': {
    description: 'IPv4 tunnel address; assigned at creation unless it was given.',
    example: '100.64.0.7',
  },
  'v0_devices.ipv6': {
    description: 'IPv6 tunnel address; assigned at creation unless it was given.',
    example: 'fd00:2021:1111::7',
  },
  'v0_devices.name': {
    description: 'What people call the device; made by the service when left out.',
    example: 'laptop',
  },
  'v0_devices.public_key': {
    description: 'Public key of the tunnel in base64, unique in the account.',
    example: 'c2FtcGxlIHB1YmxpYyBrZXkgb2YgMzIgYnl0ZXMuLi4=',
  },
  allowed_ips: {
    description: 'Networks that the device reaches through the tunnel, separated by commas, or an array.',
    example: '0.0.0.0/0,::/0',
  },
  dns: {
    description: 'DNS servers of the device, separated by commas, or an array.',
    example: '1.1.1.1,1.0.0.1',
  },
  endpoint: {
    description: 'Where the device connects to: a host, or host and port.',
    example: 'access.example.net:51820',
  },
  latest_handshake: {
    description: 'Time of the last handshake of the tunnel; null before the first.',
    example: null,
    format: 'date-time',
  },
  mtu: integer('MTU of the tunnel, 576 to 1500.', 1280),
  persistent_keepalive: integer('Seconds between keepalives, 0 to 120.', 25),
  preshared_key: {
    description: 'Preshared key of the tunnel, base64; generated when left out at creation.',
    example: 'c2FtcGxlIHByZXNoYXJlZCBrZXkgb2YgMzIgYnl0ZXM=',
  },
  remote_ip: { description: 'Address the device last connected from; null before the first time.', example: null },
  server_public_key: {
    description: 'Public key of the server, base64; the same for all devices of an account.',
    example: 'vo+9/V5oP+L8r4f/wotb5xS4GsIFNcGpgk0xGTF3yQc=',
  },
  use_default_allowed_ips: usesDefault('allowed_ips'),
  use_default_dns: usesDefault('dns'),
  use_default_endpoint: usesDefault('endpoint'),
  use_default_mtu: usesDefault('mtu'),
  use_default_persistent_keepalive: usesDefault('persistent_keepalive'),
}

import { integer, type Texts } from './text.ts'

/** Sealed logs: checkpoints, leaves and proofs. */
export const sealedLogsTexts: Texts = {
  from: integer('Number of leaves: the first leaf that is asked for, or the size of the earlier checkpoint.', 120),
  hashes: { description: 'Leaf hashes of 32 bytes one after the other, in base64.' },
  hour: {
    description: 'Begin of the hour that is sealed by one leaf, RFC 3339; in a proof, the proof within that hour.',
  },
  hours: { description: 'What the leaves seal: an hour of a stream each.' },
  index: integer('Number of the leaf within its tree, from 0.', 7),
  leaf_hash: { description: 'Hash of the leaf (RFC 6962), in base64.' },
  leaf_index: integer('Number of the leaf in its log, from 0: how many came before it.', 1234),
  log: { description: 'The sealed log.', example: 'changes' },
  note: { description: 'The checkpoint as a signed note (C2SP tlog-checkpoint); null before the first seal.' },
  origin: { description: 'First line of the checkpoint: host, account and log.' },
  root: { description: 'Root hash of the tree (RFC 6962), in base64.' },
  size: integer('Number of leaves of the tree.', 1300),
  stream: { description: 'The log stream whose hour is sealed.', example: 'session' },
  to: integer(
    'Number of leaves: the leaf behind the last that is asked for, or the size of the later checkpoint.',
    1300,
  ),
  verifier_key: { description: 'Key that verifies the note: <name>+<hash>+<base64>.' },
}

/** The examples in the help of each command, by its name. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  login: ['srs login', 'srs login --base-url https://routing.example.com'],
  logout: ['srs logout'],
  open: ['srs open'],
  put: [
    'srs put --priority archive reports/*.pdf',
    'srs put --recursive photos',
    'pg_dump shop | gzip | srs put - --name shop.sql.gz',
    'srs put --resume 3f0c8f5e-5c1e-4a53-9d6e-0f4f3d1c2b7a film.mp4',
  ],
  get: [
    'srs get 3f0c8f5e-5c1e-4a53-9d6e-0f4f3d1c2b7a',
    'srs get 3f0c8f5e-5c1e-4a53-9d6e-0f4f3d1c2b7a -o - | tar x',
  ],
  rm: ['srs rm 3f0c8f5e-5c1e-4a53-9d6e-0f4f3d1c2b7a'],
  me: ['srs me', 'srs me --json'],
  account: ['srs account'],
  usage: ['srs usage'],
  'providers list': ['srs providers', 'srs providers list --json'],
  'providers set': [
    'srs providers set b2 --bucket my-archive --region us-west-004',
    'srs providers set r2 --bucket my-files --account-id 0123456789abcdef0123456789abcdef',
  ],
  'providers test': [
    'srs providers test b2',
    'srs providers test r2 --origin https://app.example.com',
  ],
  'providers rm': ['srs providers rm b2'],
  'keys show': ['srs keys show'],
  'keys rotate': ['srs keys rotate --save'],
  connect: [
    'srs connect --role-arn arn:aws:iam::111122223333:role/StorageRoutingReadOnly --regions us-east-1,eu-central-1',
  ],
  connections: ['srs connections'],
  disconnect: ['srs disconnect 7b0e3d52-3a0f-4f0c-8a9e-0c2b1d3e4f5a'],
  schedule: [
    'srs schedule 7b0e3d52-3a0f-4f0c-8a9e-0c2b1d3e4f5a --every week --hour 3',
    'srs schedule 7b0e3d52-3a0f-4f0c-8a9e-0c2b1d3e4f5a',
    'srs schedule 7b0e3d52-3a0f-4f0c-8a9e-0c2b1d3e4f5a --off',
  ],
  changes: ['srs changes 2c4d6e8f-1a3b-4c5d-8e7f-9a0b1c2d3e4f'],
  report: [
    'srs report 2c4d6e8f-1a3b-4c5d-8e7f-9a0b1c2d3e4f --format html > audit.html',
    'srs report 2c4d6e8f-1a3b-4c5d-8e7f-9a0b1c2d3e4f --format csv > audit.csv',
  ],
  scan: [
    'srs scan 7b0e3d52-3a0f-4f0c-8a9e-0c2b1d3e4f5a',
    'srs scan --scan-id 2c4d6e8f-1a3b-4c5d-8e7f-9a0b1c2d3e4f',
  ],
  'history scans': ['srs history', 'srs history scans --json'],
  'history uploads': ['srs history uploads', 'srs history uploads --limit 50 --offset 50'],
  recommendations: [
    'srs recommendations --status open',
    'srs recommendations --limit 50 --offset 50',
  ],
  approve: ['srs approve 9d8c7b6a-5f4e-5d3c-8b2a-1f0e9d8c7b6a --target b2'],
  migrations: ['srs migrations', 'srs migrations --status copying --json'],
  'migration watch': ['srs migration watch 5a4b3c2d-1e0f-4a9b-8c7d-6e5f4a3b2c1d'],
  'migration show': ['srs migration show 5a4b3c2d-1e0f-4a9b-8c7d-6e5f4a3b2c1d --json'],
  'migration cancel': ['srs migration cancel 5a4b3c2d-1e0f-4a9b-8c7d-6e5f4a3b2c1d'],
  'webhooks list': ['srs webhooks', 'srs webhooks list --json'],
  'webhooks add': [
    'srs webhooks add https://example.com/hooks/storage --events scan.completed,verdict.changed',
    'srs webhooks add https://hooks.slack.com/services/T0/B0/x --events verdict.changed --format slack',
  ],
  'webhooks deliveries': ['srs webhooks deliveries 4d1f0c7e-8a52-4b3f-9a6e-1c2d3e4f5a6b'],
  'webhooks test': ['srs webhooks test 4d1f0c7e-8a52-4b3f-9a6e-1c2d3e4f5a6b'],
  'webhooks rotate': ['srs webhooks rotate 4d1f0c7e-8a52-4b3f-9a6e-1c2d3e4f5a6b'],
  'webhooks enable': ['srs webhooks enable 4d1f0c7e-8a52-4b3f-9a6e-1c2d3e4f5a6b'],
  'webhooks remove': ['srs webhooks remove 4d1f0c7e-8a52-4b3f-9a6e-1c2d3e4f5a6b'],
  completion: [
    'eval "$(srs completion bash)"',
    'eval "$(srs completion zsh)"',
    'srs completion fish | source',
  ],
  round: ['srs round 5a4b3c2d-1e0f-4a9b-8c7d-6e5f4a3b2c1d --max-total-usd 5 --wait'],
  release: [
    'srs release 5a4b3c2d-1e0f-4a9b-8c7d-6e5f4a3b2c1d --wait',
    'srs release 5a4b3c2d-1e0f-4a9b-8c7d-6e5f4a3b2c1d --show -o release.ndjson',
  ],
  'verify-release': [
    'srs verify-release release.ndjson',
    'srs verify-release release.ndjson --key videos/00001.mp4 --json',
  ],
  'migration report': [
    'srs migration report 5a4b3c2d-1e0f-4a9b-8c7d-6e5f4a3b2c1d -o report.ndjson',
  ],
};

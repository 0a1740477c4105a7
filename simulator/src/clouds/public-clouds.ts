import { disks, firmware, region, sizes, storage, type Cloud } from './cloud.ts'

/** What public clouds have in common. */
const publicCloud = (provider: string, name: string) => ({
  provider,
  hypervisor: name,
  host_type: name,
  cloud_env: 'public' as const,
  firmware: firmware('BIOS pc std vnc, UEFI q35 std vnc'),
  hasVpcs: true,
})

/** Public clouds, whose hosts are hidden. */
export const publicClouds: readonly Cloud[] = [
  {
    ...publicCloud('Aws', 'aws'),
    environment: 'InternationalCloud',
    accounts: [
      {
        name: 'aws-production',
        regions: [
          region('AWS EU (Frankfurt)', 'eu-central-1', 'a b c'),
          region('AWS US East (N. Virginia)', 'us-east-1', 'a b d'),
        ],
      },
      {
        name: 'aws-sandbox',
        regions: [region('AWS Asia Pacific (Tokyo)', 'ap-northeast-1', 'a c')],
      },
    ],
    sizes: sizes(
      't3.micro 2 1, t3.small 2 2, t3.medium 2 4, t3.large 2 8, m6i.large 2 8, m6i.xlarge 4 16, m6i.2xlarge 8 32, c6i.xlarge 4 8, c6i.4xlarge 16 32, r6i.large 2 16, r6i.2xlarge 8 64, m7g.4xlarge 16 64',
    ),
    gpuSizes: sizes('g5.xlarge 4 16, g5.4xlarge 16 64, p3.2xlarge 8 61'),
    disks: disks('raw', 'scsi', [
      storage('gp3', 'ssd', 3_000, 125),
      storage('gp2', 'ssd', 300, 128),
      storage('io2', 'ssd', 16_000, 1_000),
      storage('st1', 'rotate', 500, 40),
    ]),
    macPrefix: '06:3c:a1',
  },
  {
    ...publicCloud('Azure', 'azure'),
    environment: 'AzurePublicCloud',
    accounts: [
      {
        name: 'azure-ent',
        regions: [
          region('Azure West Europe', 'westeurope', '1 2 3', '-'),
          region('Azure Germany West Central', 'germanywestcentral', '1 2', '-'),
        ],
      },
    ],
    sizes: sizes(
      'Standard_B1s 1 1, Standard_B2s 2 4, Standard_B2ms 2 8, Standard_D2s_v5 2 8, Standard_D4s_v5 4 16, Standard_D8s_v5 8 32, Standard_E4s_v5 4 32, Standard_F4s_v2 4 8, Standard_F8s_v2 8 16',
    ),
    gpuSizes: sizes('Standard_NC4as_T4_v3 4 28, Standard_NC24ads_A100_v4 24 220'),
    disks: disks('vhd', 'scsi', [
      storage('premium_lrs', 'ssd', 1_100, 125),
      storage('standardssd_lrs', 'ssd', 500, 60),
      storage('standard_lrs', 'rotate', 500, 60),
    ]),
    macPrefix: '00:0d:3a',
  },
  {
    ...publicCloud('Google', 'google'),
    environment: '',
    accounts: [
      {
        name: 'google-analytics',
        regions: [
          region('Google Frankfurt', 'europe-west3', 'a b c', '-'),
          region('Google Iowa', 'us-central1', 'a f', '-'),
        ],
      },
    ],
    sizes: sizes(
      'e2-micro 2 1, e2-small 2 2, e2-medium 2 4, e2-standard-2 2 8, e2-standard-4 4 16, n2-standard-8 8 32, n2-highmem-4 4 32, c3-highcpu-8 8 16, n2d-standard-16 16 64',
    ),
    gpuSizes: sizes('g2-standard-8 8 32, a2-highgpu-1g 12 85'),
    disks: disks('raw', 'scsi', [
      storage('pd-balanced', 'ssd', 3_000, 140),
      storage('pd-ssd', 'ssd', 6_000, 240),
      storage('pd-standard', 'rotate', 75, 12),
    ]),
    macPrefix: '42:01:0a',
  },
  {
    ...publicCloud('Aliyun', 'aliyun'),
    environment: 'InternationalCloud',
    accounts: [
      {
        name: 'aliyun-retail',
        regions: [
          region('阿里云 华东1（杭州）', 'cn-hangzhou', 'h i', '-'),
          region('阿里云 华北2（北京）', 'cn-beijing', 'g k', '-'),
        ],
      },
    ],
    sizes: sizes(
      'ecs.t6-c1m1.large 2 2, ecs.t6-c1m2.large 2 4, ecs.c7.large 2 4, ecs.g7.large 2 8, ecs.g7.xlarge 4 16, ecs.g7.2xlarge 8 32, ecs.r7.xlarge 4 32, ecs.c7.4xlarge 16 32',
    ),
    gpuSizes: sizes('ecs.gn7i-c8g1.2xlarge 8 30, ecs.gn6v-c8g1.2xlarge 8 32'),
    disks: disks('raw', 'virtio', [
      storage('cloud_essd', 'ssd', 4_800, 170),
      storage('cloud_ssd', 'ssd', 3_000, 140),
      storage('cloud_efficiency', 'hybrid', 2_600, 100),
    ]),
    macPrefix: '00:16:3e',
  },
  {
    ...publicCloud('Huawei', 'huawei'),
    environment: 'ChinaCloud',
    accounts: [
      {
        name: 'huawei-iot',
        regions: [
          region('华为云 华北-北京四', 'cn-north-4', 'a b', ''),
          region('华为云 华东-上海一', 'cn-east-3', 'a b c', ''),
        ],
      },
    ],
    sizes: sizes(
      's6.small.1 1 1, s6.medium.2 1 2, s6.large.2 2 4, c6.large.4 2 8, c6.xlarge.2 4 8, c6.2xlarge.4 8 32, m6.xlarge.8 4 32',
    ),
    gpuSizes: sizes('g6.xlarge.4 4 16, p2v.2xlarge.8 8 64'),
    disks: disks('raw', 'virtio', [
      storage('GPSSD', 'ssd', 2_600, 130),
      storage('SSD', 'ssd', 3_000, 120),
      storage('SAS', 'hybrid', 1_800, 100),
    ]),
    macPrefix: 'fa:16:3e',
  },
  {
    ...publicCloud('Qcloud', 'qcloud'),
    environment: '',
    accounts: [
      {
        name: 'qcloud-games',
        regions: [region('腾讯云 华东地区（上海）', 'ap-shanghai', '2 4 5', '-')],
      },
    ],
    sizes: sizes(
      'S5.SMALL1 1 1, S5.SMALL2 1 2, S5.MEDIUM4 2 4, S5.LARGE8 4 8, S5.2XLARGE16 8 16, SA2.4XLARGE32 16 32, M5.LARGE32 4 32',
    ),
    gpuSizes: sizes('GN7.2XLARGE32 8 32'),
    disks: disks('raw', 'virtio', [
      storage('CLOUD_PREMIUM', 'hybrid', 2_600, 100),
      storage('CLOUD_SSD', 'ssd', 3_600, 150),
    ]),
    macPrefix: '52:54:00',
  },
]

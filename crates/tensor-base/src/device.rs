//! `Device`: where a tensor's bytes live, as a name only.

use core::{fmt, str::FromStr};

use crate::{DeviceError, Excerpt};

/// Where a tensor's bytes live.
///
/// A device is an address and nothing more: naming one neither checks that it exists nor touches it.
/// `Cuda` can be named, parsed and printed, so that files and requests which mention one are understood;
/// whoever allocates decides whether it can be served.
///
/// Parsing accepts exactly `cpu`, `cuda` (the same as `cuda:0`) and `cuda:N` with a canonical decimal `N`.
///
/// ```
/// use stratal_tensor_base::Device;
///
/// assert_eq!("cuda".parse(), Ok(Device::Cuda(0)));
/// assert_eq!(Device::Cuda(1).to_string(), "cuda:1");
/// assert!("cpu:1".parse::<Device>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Device {
    /// The host's memory.
    #[default]
    Cpu,
    /// The CUDA device of this index.
    Cuda(u32),
}

impl Device {
    /// Whether this is the host's memory.
    pub const fn is_cpu(self) -> bool {
        matches!(self, Self::Cpu)
    }
}

impl fmt::Display for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => formatter.pad("cpu"),
            Self::Cuda(index) => write!(formatter, "cuda:{index}"),
        }
    }
}

impl FromStr for Device {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Self, DeviceError> {
        match text.split_once(':') {
            None if text == "cpu" => Ok(Self::Cpu),
            None if text == "cuda" => Ok(Self::Cuda(0)),
            Some(("cuda", index)) => {
                canonical_decimal(index).map(Self::Cuda).ok_or(DeviceError::BadIndex { device: Excerpt::new(text) })
            }
            Some(("cpu", _)) => Err(DeviceError::CpuIndex { device: Excerpt::new(text) }),
            _ => Err(DeviceError::UnknownDevice { device: Excerpt::new(text) }),
        }
    }
}

/// Digits without sign or leading zero, so that each device has one spelling.
fn canonical_decimal(digits: &str) -> Option<u32> {
    let is_canonical = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    is_canonical.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::{String, ToString};

    #[test]
    fn hostile_spellings_are_errors_that_quote_them() {
        for text in [
            "",
            "CPU",
            "cpu ",
            " cpu",
            "cpu:",
            "cpu:0",
            "cpu:1",
            "cuda:",
            "cuda:-1",
            "cuda:+1",
            "cuda:01",
            "cuda:1:2",
            "cuda:4294967296",
            "cuda:99999999999999999999",
            "cuda:\u{0661}",
            "metal",
            "metal:0",
        ] {
            let error = text.parse::<Device>().unwrap_err();
            assert!(error.to_string().contains(&Excerpt::new(text).to_string()), "{error}");
        }
    }

    proptest! {
        #[test]
        fn printing_and_parsing_agree(index: u32) {
            for device in [Device::Cpu, Device::Cuda(index)] {
                prop_assert_eq!(device.to_string().parse(), Ok(device));
            }
        }

        #[test]
        fn any_text_parses_or_fails_cleanly(text: String) {
            if let Ok(device) = text.parse::<Device>() {
                prop_assert!(text == "cuda" || device.to_string() == text);
            }
        }
    }
}

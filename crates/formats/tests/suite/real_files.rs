//! Files of arrays that people ship, against what others read in them.
//!
//! `cargo xtask models --fetch` brings them. Without them each test says so, and checks nothing.

use allocation_counter::measure;
use flate2::Crc;
use stratal_formats::{Limits, ModelFile, Weights, npy};
use stratal_tensor::base::DType;

use crate::{
    fetched::fetched,
    kinds::{bytes_of, mapped},
};

/// Calls `look` with the tensors of a fetched file, read on demand, mapped and in memory.
fn each_way(name: &str, mut look: impl FnMut(&str, Weights)) {
    let Some(path) = fetched(name) else { return };
    let mut open = |kind, file| look(kind, Weights::of_file(file, &Limits::default()).unwrap());
    open("on demand", ModelFile::open(&path).unwrap());
    open("mapped", mapped(&path));
    open("in memory", ModelFile::of_vec(std::fs::read(&path).unwrap()).unwrap());
}

/// The number of tensors, of their bytes, and the CRC-32 of these, in row-major order and one tensor after the other in the
/// order of the file.
fn sums(weights: &Weights) -> (usize, u64, u32) {
    let mut crc = Crc::new();
    let mut bytes = 0;
    for name in weights.names() {
        let elements = bytes_of(&weights.tensor(name).unwrap());
        bytes += elements.len() as u64;
        crc.update(&elements);
    }
    (weights.len(), bytes, crc.sum())
}

#[test]
fn safetensors_have_what_python_reads_in_them() {
    each_way("minilm_safetensors.safetensors", |kind, weights| {
        assert_eq!(sums(&weights), (104, 90_856_960, 0xfa75_c7bf), "{kind}");
        let metadata: Vec<_> = weights.metadata().map(|(key, value)| format!("{key}: {value}")).collect();
        assert_eq!(metadata, ["format: \"pt\""], "{kind}");
        assert_eq!(weights.names().next(), Some("embeddings.position_ids"));
        let last = weights.get("pooler.dense.weight").unwrap();
        assert_eq!((last.element_type().dtype(), last.extents()), (Some(DType::F32), &[384, 384][..]));
        assert_eq!(last.place().range(), 8 + 11_408 + 90_267_136..90_868_376);
    });
    each_way("silero_safetensors.safetensors", |kind, weights| {
        assert_eq!(sums(&weights), (15, 1_238_532, 0xe1dc_fec7), "{kind}");
        assert_eq!(weights.get("stft_conv.weight").unwrap().extents(), [258, 1, 256]);
    });
}

#[test]
fn safetensors_have_what_the_witness_reads_in_them() {
    for name in ["minilm_safetensors.safetensors", "silero_safetensors.safetensors"] {
        let Some(path) = fetched(name) else { continue };
        let bytes = std::fs::read(&path).unwrap();
        let witness = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        let weights = Weights::open(&path).unwrap();
        assert_eq!(weights.len(), witness.len());
        for (name, view) in witness.iter() {
            let tensor = weights.tensor(name).unwrap();
            assert_eq!(bytes_of(&tensor), view.data(), "{name}");
            let extents: Vec<_> = tensor.shape().extents().iter().map(|extent| *extent as usize).collect();
            assert_eq!(extents, view.shape(), "{name}");
        }
    }
}

#[test]
fn opening_reads_no_tensor() {
    let Some(path) = fetched("minilm_safetensors.safetensors") else { return };
    for file in [ModelFile::open(&path).unwrap(), mapped(&path)] {
        let memory = measure(|| drop(Weights::of_file(file, &Limits::default()).unwrap())).bytes_max;
        assert!(memory < 8 * 11_408, "{memory}");
    }
}

#[test]
fn arrays_have_what_numpy_reads_in_them() {
    each_way("kokoro_voices.npz", |kind, weights| {
        assert_eq!(sums(&weights), (5, 2_611_200, 0xe04e_802a), "{kind}");
        let names: Vec<_> = weights.names().collect();
        assert_eq!((names[0], names[4]), ("jf_alpha", "jm_kumo"));
        assert!(weights.iter().all(|weight| weight.extents() == [510, 1, 256]), "{kind}");
    });
    each_way("lac_transitions.npy", |kind, weights| {
        assert_eq!(sums(&weights), (1, 59 * 59 * 4, 0x4bf5_4d72), "{kind}");
        let tensor = weights.tensor(npy::UNNAMED).unwrap();
        assert_eq!(tensor.item::<f32>(&[0, 1]).unwrap(), 0.193_936_97);
    });
}
